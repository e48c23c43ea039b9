#include "app/richtext/math/math_table.h"

#include <QtEndian>

namespace quire {
namespace {

/// Reads big-endian numbers of a table. Once one lies outside of it, isGood() is false and all
/// further ones are 0.
class TableReader {
 public:
  explicit TableReader(const QByteArray& bytes) : m_bytes(bytes) {}

  bool isGood() const { return m_isGood; }
  void fail() { m_isGood = false; }
  bool has(qsizetype at, qsizetype numBytes) {
    if (at < 0 || numBytes < 0 || at > m_bytes.size() - numBytes) m_isGood = false;
    return m_isGood;
  }
  int u16(qsizetype at) {
    return has(at, 2) ? qFromBigEndian<quint16>(m_bytes.constData() + at) : 0;
  }
  int s16(qsizetype at) {
    return has(at, 2) ? qFromBigEndian<qint16>(m_bytes.constData() + at) : 0;
  }
  /// The place that the offset at `at` leads to from `base`; -1 if the offset is 0.
  qsizetype follow(qsizetype base, qsizetype at) {
    const int offset = u16(at);
    return offset == 0 ? -1 : base + offset;
  }

 private:
  const QByteArray& m_bytes;
  bool m_isGood = true;
};

constexpr int kNumConstants = static_cast<int>(MathConstant::Count);

/// The glyphs of a coverage table, by coverage index.
QList<quint16> readCoverage(TableReader& in, qsizetype at) {
  QList<quint16> glyphs;
  const int format = in.u16(at);
  const int count = in.u16(at + 2);
  if (format == 1 && in.has(at + 4, 2 * qsizetype(count))) {
    for (int i = 0; i < count; ++i) glyphs.append(static_cast<quint16>(in.u16(at + 4 + 2 * i)));
  } else if (format == 2 && in.has(at + 4, 6 * qsizetype(count))) {
    for (int i = 0; i < count && glyphs.size() <= 0xFFFF; ++i) {
      const int first = in.u16(at + 4 + 6 * i);
      const int last = in.u16(at + 6 + 6 * i);
      for (int glyph = first; glyph <= last; ++glyph) glyphs.append(static_cast<quint16>(glyph));
    }
  } else {
    in.fail();
  }
  return glyphs;
}

void readConstants(TableReader& in, qsizetype at, MathTable& out) {
  out.scriptPercent = in.s16(at);
  out.scriptScriptPercent = in.s16(at + 2);
  out.displayOperatorMinHeight = in.u16(at + 6);
  for (int i = 0; i < kNumConstants; ++i) out.constants.append(in.s16(at + 8 + 4 * i));
  out.radicalDegreeRaisePercent = in.s16(at + 8 + 4 * kNumConstants);
  const auto isPercent = [](int value) { return value > 0 && value <= 100; };
  if (!isPercent(out.scriptPercent) || !isPercent(out.scriptScriptPercent)) in.fail();
}

/// A value for each covered glyph: italics corrections, or where accents stand.
QHash<quint16, int> readValues(TableReader& in, qsizetype at) {
  QHash<quint16, int> values;
  if (at < 0) return values;
  const QList<quint16> glyphs = readCoverage(in, in.follow(at, at));
  const int count = in.u16(at + 2);
  if (count > glyphs.size() || !in.has(at + 4, 4 * qsizetype(count))) in.fail();
  for (int i = 0; i < count && in.isGood(); ++i) values.insert(glyphs[i], in.s16(at + 4 + 4 * i));
  return values;
}

QList<GlyphPart> readAssembly(TableReader& in, qsizetype at) {
  QList<GlyphPart> parts;
  const int count = in.u16(at + 4);
  if (!in.has(at + 6, 10 * qsizetype(count))) return parts;
  for (int i = 0; i < count; ++i) {
    const qsizetype part = at + 6 + 10 * i;
    parts.append({static_cast<quint16>(in.u16(part)), in.u16(part + 2), in.u16(part + 4),
                  in.u16(part + 6), (in.u16(part + 8) & 1) != 0});
  }
  return parts;
}

GlyphGrowth readGrowth(TableReader& in, qsizetype at) {
  GlyphGrowth growth;
  const qsizetype assembly = in.follow(at, at);
  const int count = in.u16(at + 2);
  if (!in.has(at + 4, 4 * qsizetype(count))) return growth;
  for (int i = 0; i < count; ++i) {
    growth.variants.append({static_cast<quint16>(in.u16(at + 4 + 4 * i)), in.u16(at + 6 + 4 * i)});
  }
  if (assembly >= 0) growth.parts = readAssembly(in, assembly);
  return growth;
}

/// `at`: the offsets of `count` constructions, which belong to the glyphs of `coverage`.
QHash<quint16, GlyphGrowth> readGrowths(TableReader& in, qsizetype variants, qsizetype coverage,
                                        qsizetype at, int count) {
  QHash<quint16, GlyphGrowth> growths;
  if (count == 0) return growths;
  const QList<quint16> glyphs = readCoverage(in, coverage);
  if (count > glyphs.size()) in.fail();
  for (int i = 0; i < count && in.isGood(); ++i) {
    const qsizetype construction = in.follow(variants, at + 2 * i);
    if (construction >= 0) growths.insert(glyphs[i], readGrowth(in, construction));
  }
  return growths;
}

void readVariants(TableReader& in, qsizetype at, MathTable& out) {
  out.minConnectorOverlap = in.u16(at);
  const int numVertical = in.u16(at + 6);
  const int numHorizontal = in.u16(at + 8);
  const qsizetype offsets = at + 10;
  out.vertical = readGrowths(in, at, in.follow(at, at + 2), offsets, numVertical);
  out.horizontal =
      readGrowths(in, at, in.follow(at, at + 4), offsets + 2 * numVertical, numHorizontal);
}

}  // namespace

std::optional<MathTable> readMathTable(const QByteArray& bytes) {
  TableReader in(bytes);
  MathTable out;
  if (in.u16(0) != 1) return std::nullopt;  // The major version.
  const qsizetype constants = in.follow(0, 4);
  const qsizetype glyphs = in.follow(0, 6);
  const qsizetype variants = in.follow(0, 8);
  if (constants < 0 || glyphs < 0 || variants < 0) return std::nullopt;
  readConstants(in, constants, out);
  out.italics = readValues(in, in.follow(glyphs, glyphs));
  out.accentAttachments = readValues(in, in.follow(glyphs, glyphs + 2));
  readVariants(in, variants, out);
  if (!in.isGood()) return std::nullopt;
  return out;
}

}  // namespace quire
