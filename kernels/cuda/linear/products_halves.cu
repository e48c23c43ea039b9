// Products with weights in f16 and bf16.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/halves.h"

namespace quire::cuda {

template void run_product<HalvesFormat<Half::kF16>>(CommandQueue&, const char*, const Product&,
                                                    ProductShape);
template void run_product<HalvesFormat<Half::kBF16>>(CommandQueue&, const char*, const Product&,
                                                     ProductShape);

}  // namespace quire::cuda
