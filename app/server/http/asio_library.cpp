// The parts of Asio that need not be compiled with each file that includes it.
#include <boost/asio/impl/src.hpp>
