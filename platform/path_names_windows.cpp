// GCC's std::filesystem::path writes UTF-8 into a narrow string, but reads one by the C library's
// locale, whose only one on Windows that is sure to be there takes each byte for a letter of its
// own: a file named in UTF-8 would not be found. path reads by this class, whose members are linked
// in place of those of libstdc++ (its codecvt_members.o holds these and no others).

#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>

#include <algorithm>
#include <climits>
#include <locale>

namespace std {
namespace {

/// A UTF-8 sequence has at most as many bytes as this, and never fewer than units of UTF-16.
constexpr int kMostBytes = 4;

/// What MultiByteToWideChar() takes at once; names of files have at most 32767 units.
template <typename T>
int length_of(const T* begin, const T* end) {
  return static_cast<int>(std::min<ptrdiff_t>(end - begin, INT_MAX));
}

}  // namespace

/// What is no UTF-8 becomes U+FFFD, as it does everywhere else in Quire: path() does not throw.
codecvt_base::result codecvt<wchar_t, char, mbstate_t>::do_in(state_type&, const extern_type* from,
                                                              const extern_type* from_end,
                                                              const extern_type*& from_next,
                                                              intern_type* to, intern_type* to_end,
                                                              intern_type*& to_next) const {
  const int bytes = length_of(from, from_end);
  const int units =
      bytes == 0 ? 0 : ::MultiByteToWideChar(CP_UTF8, 0, from, bytes, to, length_of(to, to_end));
  to_next = to + units;
  from_next = units == 0 ? from : from + bytes;
  return units == 0 && bytes != 0 ? error : ok;
}

codecvt_base::result codecvt<wchar_t, char, mbstate_t>::do_out(state_type&, const intern_type* from,
                                                               const intern_type* from_end,
                                                               const intern_type*& from_next,
                                                               extern_type* to, extern_type* to_end,
                                                               extern_type*& to_next) const {
  const int units = length_of(from, from_end);
  const int bytes = units == 0 ? 0
                               : ::WideCharToMultiByte(CP_UTF8, 0, from, units, to,
                                                       length_of(to, to_end), nullptr, nullptr);
  to_next = to + bytes;
  from_next = bytes == 0 ? from : from + units;
  return bytes == 0 && units != 0 ? error : ok;
}

int codecvt<wchar_t, char, mbstate_t>::do_encoding() const throw() {
  return 0;  // As many bytes as it takes.
}

int codecvt<wchar_t, char, mbstate_t>::do_max_length() const throw() {
  return kMostBytes;
}

/// How many of the bytes become at most `most` units; nothing in Quire asks.
int codecvt<wchar_t, char, mbstate_t>::do_length(state_type&, const extern_type* from,
                                                 const extern_type* end, size_t most) const {
  return static_cast<int>(std::min(static_cast<size_t>(end - from), most));
}

}  // namespace std
