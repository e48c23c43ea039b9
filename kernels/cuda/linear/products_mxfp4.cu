// Products with weights in MXFP4.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/tables.h"

namespace quire::cuda {

template void run_product<Mxfp4Format<Half::kF16>>(CommandQueue&, const char*, const Product&,
                                                   ProductShape);
template void run_product<Mxfp4Format<Half::kBF16>>(CommandQueue&, const char*, const Product&,
                                                    ProductShape);

}  // namespace quire::cuda
