// Products with weights in Q8_0.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/legacy.h"

namespace quire::cuda {

template void run_product<Q8_0Format>(CommandQueue&, const char*, const Product&, ProductShape);

}  // namespace quire::cuda
