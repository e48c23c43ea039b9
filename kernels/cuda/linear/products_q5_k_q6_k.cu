// Products with weights in Q5_K and Q6_K.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/k_quants.h"

namespace quire::cuda {

template void run_product<Q5KFormat>(CommandQueue&, const char*, const Product&, ProductShape);
template void run_product<Q6KFormat>(CommandQueue&, const char*, const Product&, ProductShape);

}  // namespace quire::cuda
