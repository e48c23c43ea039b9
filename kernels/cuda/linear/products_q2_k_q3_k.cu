// Products with weights in Q2_K and Q3_K.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/k_quants.h"

namespace quire::cuda {

template void run_product<Q2KFormat>(CommandQueue&, const char*, const Product&, ProductShape);
template void run_product<Q3KFormat>(CommandQueue&, const char*, const Product&, ProductShape);

}  // namespace quire::cuda
