#include "engine/grammar/text_formats.h"

namespace quire {
namespace {

// RFC 3339. The 29th of February, which not every year has, and leap seconds are left out.
const std::string kDate =
    "[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|"
    "[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))";
const std::string kTime =
    "(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,6})?"
    "(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";
const std::string kSeconds = "[0-9]{1,4}S";
const std::string kMinutes = "[0-9]{1,4}M(?:" + kSeconds + ")?";
const std::string kHours = "[0-9]{1,4}H(?:" + kMinutes + ")?";
const std::string kLabel = "[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*";
const std::string kWord = "[A-Za-z0-9_+-]+";
const std::string kOctet = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";

std::string whole(const std::string& pattern) {
  return "^" + pattern + "$";
}

}  // namespace

std::optional<std::string> pattern_of_format(std::string_view format) {
  if (format == "date") return whole(kDate);
  if (format == "time") return whole(kTime);
  if (format == "date-time") return whole(kDate + "T" + kTime);
  if (format == "duration") {
    const std::string days = "[0-9]{1,4}D";
    return whole("P(?:[0-9]{1,4}W|" + days + "|(?:" + days + ")?T(?:" + kHours + "|" + kMinutes +
                 "|" + kSeconds + "))");
  }
  if (format == "email") {
    return whole(kWord + "(?:\\." + kWord + ")*@" + kLabel + "(?:\\." + kLabel + ")+");
  }
  if (format == "hostname") return whole(kLabel + "(?:\\." + kLabel + ")*");
  if (format == "ipv4") return whole(kOctet + "(?:\\." + kOctet + "){3}");
  if (format == "ipv6") return whole("[0-9a-f]{1,4}(?::[0-9a-f]{1,4}){7}");
  if (format == "uuid") return whole("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  return std::nullopt;
}

}  // namespace quire
