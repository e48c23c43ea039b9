// Products with weights in Q4_K.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/k_quants.h"

namespace quire::cuda {

template void run_product<Q4KFormat>(CommandQueue&, const char*, const Product&, ProductShape);

}  // namespace quire::cuda
