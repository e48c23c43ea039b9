// Products with weights in Q4_0 and Q4_1.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/legacy.h"

namespace quire::cuda {

template void run_product<Q4_0Format>(CommandQueue&, const char*, const Product&, ProductShape);
template void run_product<Q4_1Format>(CommandQueue&, const char*, const Product&, ProductShape);

}  // namespace quire::cuda
