#pragma once

#include <QString>

namespace quire {

/// Whether a link of an answer may be shown, copied and opened as one: web pages and letters to one
/// mail address, with a subject and a text at most. Others, such as javascript: and file:, are
/// text.
bool isWebLink(const QString& href);

/// Where a link leads: the host of a web page, with international names in ASCII (xn--...), which
/// look like no other name; the address of mailto. Empty for other links.
QString linkHost(const QString& href);

}  // namespace quire
