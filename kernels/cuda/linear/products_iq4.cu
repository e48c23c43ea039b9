// Products with weights in IQ4_NL and IQ4_XS.

#include "kernels/cuda/linear/product_of_format.h"
#include "kernels/cuda/weights/formats/tables.h"

namespace quire::cuda {

template void run_product<Iq4NlFormat>(CommandQueue&, const char*, const Product&, ProductShape);
template void run_product<Iq4XsFormat>(CommandQueue&, const char*, const Product&, ProductShape);

}  // namespace quire::cuda
