// QuantizedFolder: layers as the packages of each format make them, from fixtures of
// tests/scripts/make_quantized_folders.py, and tensors that do not fit together.

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/io/safetensors.h"
#include "engine/models/quantized_folder.h"
#include "kernels/base/dequantize.h"
#include "tests/engine/io/safetensors_builder.h"

using namespace quire;
using namespace quire::test;

namespace fs = std::filesystem;

namespace {

using Wrapped = Result<std::unique_ptr<WeightSource>>;

Wrapped open_folder(const fs::path& file, const std::string& config) {
  const auto quantization = parse_folder_quantization(nlohmann::json::parse(config), "config");
  if (!quantization) return quantization.error();
  auto files = SafetensorsWeights::open_file(file);
  if (!files) return files.error();
  return QuantizedFolder::wrap(std::move(*files), *quantization);
}

fs::path data(const QString& name) {
  return QStringLiteral(QUIRE_SOURCE_DIR "/tests/data/quantized/%1").arg(name).toStdString();
}

std::string config_of(const QString& name) {
  QFile file(QString::fromStdString(data(name + ".json").string()));
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : "";
}

/// The value as a number of that dtype, as the format's package rounds it.
float rounded_to(DType dtype, float value) {
  if (dtype == DType::kF16) return f16_to_f32(f32_to_f16(value));
  if (dtype == DType::kBF16) return bf16_to_f32(f32_to_bf16(value));
  return value;
}

constexpr const char* kCases[] = {
    "gptq",     "gptq_v2",    "awq", "int4",       "int4_zeros", "int8",      "int8_packed",
    "fp8_rows", "fp8_blocks", "nf4", "nf4_nested", "bnb_int8",   "gptq_8bit", "gptq_8bit_v2"};

}  // namespace

class TestQuantizedFolder : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir m_folder;

  /// The message of a folder whose file has that header.
  std::string refusal(const char* config, const std::string& header, size_t data_bytes) {
    const fs::path path = m_folder.filePath("model.safetensors").toStdString();
    write_file(path, safetensors_file(header, 0));
    fs::resize_file(path, fs::file_size(path) + data_bytes);
    auto folder = open_folder(path, config);
    return folder ? "read" : folder.error().message;
  }

 private slots:
  void tensor_hasTheValuesOfTheFormatsPackage_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : kCases) QTest::newRow(name) << QString(name);
  }
  void tensor_hasTheValuesOfTheFormatsPackage() {
    QFETCH(QString, name);
    auto folder = open_folder(data(name + ".safetensors"), config_of(name));
    QVERIFY2(folder.has_value(), folder ? "" : folder.error().message.c_str());
    const auto weight = (*folder)->tensor("l.weight");
    QVERIFY2(weight.has_value(), weight ? "" : weight.error().message.c_str());
    const auto expected = (*folder)->tensor("expected");
    QVERIFY(expected.has_value() && is_quantized(weight->dtype()));
    QCOMPARE(weight->dim(0), expected->dim(0));
    QCOMPARE(weight->dim(1), expected->dim(1));
    const auto count = static_cast<size_t>(weight->num_elements());
    std::vector<float> values(count), references(count);
    dequantize_row(weight->dtype(), weight->data(), values.data(), weight->num_elements());
    dequantize_row(expected->dtype(), expected->data(), references.data(), weight->num_elements());
    for (size_t i = 0; i < count; ++i) {
      const float value = rounded_to(expected->dtype(), values[i]);
      // bitsandbytes rounds the product with the row's largest number, and then that with 1 / 127.
      const float bound = name == "bnb_int8" ? 0x1p-22f * std::fabs(references[i]) : 0.0f;
      QVERIFY2(std::fabs(value - references[i]) <= bound, qPrintable(QString::number(i)));
    }
  }

  void tensors_areOneForEachLayer() {
    for (const char* name : kCases) {
      auto folder = open_folder(data(QString(name) + ".safetensors"), config_of(name));
      QVERIFY(folder.has_value());
      QCOMPARE((*folder)->tensors().size(), size_t{2});
      const TensorInfo* const info = (*folder)->find("l.weight");
      QVERIFY(info != nullptr);
      QCOMPARE(info->shape, (std::vector<int64_t>{144, 256}));
      const auto described = (*folder)->described("l.weight");
      QVERIFY(described.has_value());
      const int64_t bytes = dtype_span_bytes(described->dtype(), described->num_elements());
      // Scales of 128 inputs and more are repeated for each 128, nested ones are unpacked.
      QVERIFY2(static_cast<double>(bytes) < 1.1 * static_cast<double>(info->bytes), name);
    }
  }

  void release_freesTheBlocks() {
    auto folder = open_folder(data("awq.safetensors"), config_of("awq"));
    QVERIFY(folder.has_value());
    const void* const before = (*folder)->tensor("l.weight")->data();
    QCOMPARE((*folder)->tensor("l.weight")->data(), before);
    (*folder)->release("l.weight");
    QVERIFY((*folder)->tensor("l.weight").has_value());
  }

  void wrap_refusesPartsThatDoNotFit() {
    const char* const gptq = R"({"quant_method": "gptq", "bits": 4})";
    const std::string codes = entry("l.qweight", "I32", "[16,8]", "[0,512]");
    QVERIFY(refusal(gptq, object(codes), 512).find("has no scales beside it") != std::string::npos);
    const std::string scales = codes + "," + entry("l.scales", "F16", "[3,8]", "[512,560]");
    QVERIFY(refusal(gptq, object(scales), 560).find("has the shape") != std::string::npos);
    const std::string rows = codes + "," + entry("l.scales", "F16", "[4,4]", "[512,544]");
    QVERIFY(refusal(gptq, object(rows), 544).find("has the shape") != std::string::npos);
    const std::string order = codes + "," + entry("l.g_idx", "I32", "[128]", "[512,1024]") + "," +
                              entry("l.scales", "F16", "[4,8]", "[1024,1088]");
    // Zeros: all inputs in the first of four groups.
    QVERIFY(refusal(gptq, object(order), 1088).find("groups of one size (act-order)") !=
            std::string::npos);
    const std::string zeros = codes + "," + entry("l.qzeros", "I32", "[9,1]", "[512,548]") + "," +
                              entry("l.scales", "F16", "[4,8]", "[548,612]");
    QVERIFY(refusal(gptq, object(zeros), 612).find("l.qzeros") != std::string::npos);
    const char* const in_eight = R"({"quant_method": "gptq", "bits": 8})";
    const std::string bytes = entry("l.qweight", "I32", "[32,8]", "[0,1024]") + "," +
                              entry("l.qzeros", "I32", "[1,2]", "[1024,1032]") + "," +
                              entry("l.scales", "F16", "[1,8]", "[1032,1048]");
    QVERIFY(refusal(in_eight, object(bytes), 1048).find("not all 128") != std::string::npos);
    const char* const fp8 = R"({"quant_method": "fp8", "weight_block_size": [128, 128]})";
    const std::string narrow = entry("l.weight", "F8_E4M3", "[2,96]", "[0,192]") + "," +
                               entry("l.weight_scale_inv", "F32", "[1,1]", "[192,196]");
    QVERIFY(refusal(fp8, object(narrow), 196).find("not whole") != std::string::npos);
    const char* const nvfp4 = R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})";
    const std::string packed = entry("l.weight", "U8", "[2,32]", "[0,64]") + ",";
    const std::string whole = "," + entry("l.weight_scale_2", "F32", "[]", "[72,76]");
    const std::string few = packed + entry("l.weight_scale", "F8_E4M3", "[4,2]", "[64,72]") + whole;
    QVERIFY(refusal(nvfp4, object(few), 76).find("does not fit l.weight") != std::string::npos);
    const std::string alone = packed + entry("l.weight_scale", "F8_E4M3", "[2,4]", "[64,72]");
    QVERIFY(refusal(nvfp4, object(alone), 72).find("no scale of the whole") != std::string::npos);
    QCOMPARE(refusal(nvfp4, object(alone + whole), 76), std::string("read"));
    const char* const bnb = R"({"quant_method": "bitsandbytes", "load_in_8bit": true})";
    QVERIFY(refusal(bnb, object(entry("l.weight", "U8", "[64,1]", "[0,64]")), 64)
                .find("no quantisation that Quire reads") != std::string::npos);
    QVERIFY(refusal(bnb, object(entry("l.weight", "I8", "[4]", "[0,4]")), 4)
                .find("which no matrix has") != std::string::npos);
  }

  void wrap_limitsWhatItReads() {
    const char* const gptq = R"({"quant_method": "gptq", "bits": 4})";
    const std::string wide = entry("l.qweight", "I32", "[4194304,8]", "[0,134217728]") + "," +
                             entry("l.scales", "F16", "[1,8]", "[134217728,134217744]") + "," +
                             entry("l.g_idx", "I32", "[33554432]", "[134217744,268435472]");
    QVERIFY(refusal(gptq, object(wide), 268435472)
                .find("has 33,554,432 inputs, and Quire reads up to 16,777,216") !=
            std::string::npos);
    const std::string order = entry("a.g_idx", "I32", "[268435456]", "[0,1073741824]") + "," +
                              entry("b.g_idx", "I32", "[268435457]", "[1073741824,2147483652]");
    QVERIFY(refusal(gptq, object(order), 2147483652).find("b.g_idx") != std::string::npos);
    const std::string ordered = entry("l.qweight", "I32", "[262144,8]", "[0,8388608]") + "," +
                                entry("l.scales", "F16", "[1,8]", "[8388608,8388624]") + "," +
                                entry("l.g_idx", "I32", "[2097152]", "[8388624,16777232]");
    QVERIFY(refusal(gptq, object(ordered), 16777232)
                .find("orders 2,097,152 inputs, and Quire reads up to 1,048,576") !=
            std::string::npos);
    const std::string state = std::string("l.") + kNf4State;
    const std::string nf4 = entry("l.weight", "U8", "[10,1]", "[0,10]") + "," +
                            entry(state.c_str(), "U8", "[5000]", "[10,5010]");
    const char* const bnb = R"({"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4"})";
    const std::string refused = refusal(bnb, object(nf4), 5010);
    QVERIFY(refused.find("4,096") != std::string::npos);
    QVERIFY(refused.find(state + " of ") != std::string::npos);
  }

  /// One is listed by the shape of the plain tensor, and read as the rows of the stack.
  void wrap_refusesAStackedExpertThatIsThereTwice() {
    const char* const fp8 = R"({"quant_method": "fp8"})";
    const std::string stack =
        entry("l.experts.gate_up_proj", "F8_E4M3", "[1,4,256]", "[0,1024]") + "," +
        entry("l.experts.gate_up_proj_scale_inv", "F32", "[1,1,1]", "[1024,1028]");
    QCOMPARE(refusal(fp8, object(stack), 1028), std::string("read"));
    const std::string plain =
        stack + "," + entry("l.experts.0.gate_proj.weight", "BF16", "[2,128]", "[1028,1540]");
    const std::string message = refusal(fp8, object(plain), 1540);
    QVERIFY2(message.find("l.experts.gate_up_proj of model.safetensors is there twice, the other "
                          "time as l.experts.0.gate_proj.weight") != std::string::npos,
             message.c_str());
  }

  /// Each of the three tensors stands for 8,192 layers.
  void wrap_limitsTheNamesOfStackedExperts() {
    std::string header;
    size_t end = 0;
    const auto add = [&](const std::string& name, const char* dtype, const char* shape,
                         size_t bytes) {
      if (end > 0) header += ',';
      header += entry(name.c_str(), dtype, shape,
                      qPrintable(QString("[%1,%2]").arg(end).arg(end + bytes)));
      end += bytes;
    };
    for (const char* layer : {"0", "1", "2"}) {
      const std::string name = layer + std::string(900, 'x') + ".experts.gate_up_proj";
      add(name, "F8_E4M3", "[4096,2,128]", 1 << 20);
      add(name + "_scale_inv", "F32", "[4096,1,1]", 1 << 14);
    }
    const std::string message = refusal(R"({"quant_method": "fp8"})", object(header), end);
    QVERIFY2(message.find("longer names, than Quire reads") != std::string::npos, message.c_str());
  }

  void longNames_areCutInMessages() {
    const std::string base(950, 'A');
    const auto part = [&](const char* end, const char* dtype, const char* shape,
                          const char* offsets) {
      return entry((base + "." + end).c_str(), dtype, shape, offsets);
    };
    const auto check = [&](const char* config, const std::string& members, size_t bytes) {
      const std::string message = refusal(config, object(members), bytes);
      QVERIFY2(message.find("AAA...") != std::string::npos, message.c_str());
      QVERIFY2(message.size() < 600, message.c_str());
    };
    check(R"({"quant_method": "gptq", "bits": 4})",
          part("qweight", "I32", "[16,8]", "[0,512]") + "," +
              part("scales", "F16", "[3,8]", "[512,560]"),
          560);
    check(R"({"quant_method": "bitsandbytes", "bnb_4bit_quant_type": "nf4"})",
          part("weight", "U8", "[10,1]", "[0,10]") + "," + part(kNf4State, "U8", "[5]", "[10,15]"),
          15);
    check(R"({"quant_method": "modelopt", "quant_algo": "NVFP4"})",
          part("weight", "U8", "[2,32]", "[0,64]") + "," +
              part("weight_scale", "F8_E4M3", "[4,2]", "[64,72]"),
          72);
  }

  /// Parts that are missing, or others than the format's: the layer could be read, but wrongly.
  void wrap_refusesWhatWouldBeReadWrongly_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("from");  // In the file.
    QTest::addColumn<QByteArray>("to");
    QTest::addColumn<QByteArray>("option");  // Of the configuration, first.
    QTest::addColumn<QByteArray>("says");
    const auto add = [](const char* row, const char* name, const char* from, const char* to,
                        const char* says, const char* option = "") {
      QTest::newRow(row) << QString(name) << QByteArray(from) << QByteArray(to)
                         << QByteArray(option) << QByteArray(says);
    };
    const char* const no_zeros = "has no zero points beside it, l.qzeros";
    add("gptq", "gptq", "l.qzeros", "l.qzerox", no_zeros);
    add("gptq in eight bits", "gptq_8bit", "l.qzeros", "l.qzerox", no_zeros);
    add("awq", "awq", "l.qzeros", "l.qzerox", no_zeros);
    add("compressed-tensors", "int4_zeros", "l.weight_zero_point", "l.weight_zero_poinx",
        "has no zero points beside it, l.weight_zero_point");
    add("act-order", "gptq", "l.g_idx", "l.g_idy", "has no order of its inputs beside it, l.g_idx",
        "\"desc_act\": true, ");
    add("twice", "gptq", "expected", "l.weight", "is there twice, the other time as l.weight");
    add("another order of bits", "gptq_v2", "l.g_idx", "l.g_idx", "gptq as marlin",
        "\"checkpoint_format\": \"marlin\", ");
    add("fp4", "nf4", "\"nf4\"", "\"fp4\"", "calls its codes fp4");
    const float last[] = {0.7229568362236023f, 1.0f}, others[] = {0.7229568362236023f, 2.0f};
    const auto bytes = [](const float* numbers) {
      return QByteArray(reinterpret_cast<const char*>(numbers), 2 * sizeof(float));
    };
    QTest::newRow("another table") << "nf4" << bytes(last) << bytes(others) << QByteArray()
                                   << QByteArray("l.weight.quant_map");
    const int64_t shape[] = {144, 256}, fewer[] = {143, 256};
    QTest::newRow("rows") << "int4" << QByteArray(reinterpret_cast<const char*>(shape), 16)
                          << QByteArray(reinterpret_cast<const char*>(fewer), 16) << QByteArray()
                          << QByteArray(
                                 "says that there are 143 rows, but l.weight_packed has 144");
  }
  void wrap_refusesWhatWouldBeReadWrongly() {
    QFETCH(QString, name);
    QFETCH(QByteArray, from);
    QFETCH(QByteArray, to);
    QFETCH(QByteArray, option);
    QFETCH(QByteArray, says);
    QFile file(QString::fromStdString(data(name + ".safetensors").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray content = file.readAll();
    QCOMPARE(from.size(), to.size());
    QVERIFY(content.contains(from));
    // JSON sorts the header's names no more, which no reader asks for.
    content.replace(content.indexOf(from), from.size(), to);
    const fs::path path = m_folder.filePath("model.safetensors").toStdString();
    write_file(path, content.toStdString());
    QByteArray config = QByteArray::fromStdString(config_of(name));
    if (option.contains("checkpoint_format")) config.replace("checkpoint_format", "unused");
    config.insert(config.indexOf('{') + 1, option);
    const auto folder = open_folder(path, config.toStdString());
    QVERIFY(!folder);
    QVERIFY2(folder.error().message.find(says.toStdString()) != std::string::npos,
             folder.error().message.c_str());
  }

  void scalesThatAreNotFinite_areRefusedByName_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("tensor");
    for (const auto& [name, tensor] :
         {std::pair("gptq", "scales"), std::pair("gptq_8bit", "scales"), std::pair("awq", "scales"),
          std::pair("int4", "weight_scale"), std::pair("int8", "weight_scale"),
          std::pair("fp8_rows", "weight_scale"), std::pair("fp8_blocks", "weight_scale_inv"),
          std::pair("nf4", "weight.absmax"), std::pair("nf4_nested", "weight.nested_absmax"),
          std::pair("bnb_int8", "SCB")}) {
      QTest::newRow(name) << QString(name) << QString("l.") + tensor;
    }
  }
  void scalesThatAreNotFinite_areRefusedByName() {
    QFETCH(QString, name);
    QFETCH(QString, tensor);
    const auto original = SafetensorsWeights::open_file(data(name + ".safetensors"));
    QVERIFY(original.has_value());
    const TensorInfo* const info = (*original)->find(tensor.toStdString());
    QVERIFY(info != nullptr);
    QFile file(QString::fromStdString(data(name + ".safetensors").string()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray content = file.readAll();
    // Infinity and NaN, by their highest bytes: of F16, of BF16 and F32.
    const bool is_half = info->dtype == "F16";
    for (const char low : {'\0', '\x40'}) {
      QByteArray changed = content;
      const auto end = static_cast<qsizetype>(info->offset + info->bytes);
      changed[end - 1] = is_half ? '\x7c' : '\x7f';
      changed[end - 2] = is_half ? low : static_cast<char>('\x80' | low);
      for (qsizetype i = 3; !is_half && i <= 4 && info->dtype == "F32"; ++i) changed[end - i] = 0;
      const fs::path path = m_folder.filePath("model.safetensors").toStdString();
      write_file(path, changed.toStdString());
      auto folder = open_folder(path, config_of(name));
      QVERIFY(folder.has_value());
      const auto weight = (*folder)->tensor("l.weight");
      QVERIFY(!weight);
      QVERIFY2(weight.error().message.find("not finite") != std::string::npos,
               weight.error().message.c_str());
    }
  }

  /// One block of 128 inputs: a column of scales, of which the last has fewer outputs.
  void aColumnOfBlocks_hasTheConfiguredRows() {
    const fs::path path = m_folder.filePath("model.safetensors").toStdString();
    const float scales[] = {1.0f, 2.0f};
    std::string bytes(144 * 128, '\x38');  // 1 in E4M3.
    bytes.append(reinterpret_cast<const char*>(scales), sizeof scales);
    const std::string header = object(entry("l.weight", "F8_E4M3", "[144,128]", "[0,18432]") + "," +
                                      entry("l.weight_scale_inv", "F32", "[2,1]", "[18432,18440]"));
    write_file(path, safetensors_file(header, 0) + bytes);
    auto folder = open_folder(path, R"({"quant_method": "fp8", "weight_block_size": [128, 128]})");
    QVERIFY2(folder.has_value(), folder ? "" : folder.error().message.c_str());
    const auto weight = (*folder)->tensor("l.weight");
    QVERIFY(weight.has_value());
    std::vector<float> values(144 * 128);
    dequantize_row(weight->dtype(), weight->data(), values.data(), 144 * 128);
    QCOMPARE(values[127 * 128], 1.0f);
    QCOMPARE(values[128 * 128], 2.0f);
  }
};

QTEST_APPLESS_MAIN(TestQuantizedFolder)
#include "tst_quantized_folder.moc"
