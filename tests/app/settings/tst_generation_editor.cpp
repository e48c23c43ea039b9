#include "app/settings/generation_editor.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

#include <algorithm>

using namespace quire;

namespace {

int rowOf(SettingField field) {
  const auto fields = generationFields();
  return static_cast<int>(std::ranges::find(fields, field, &GenerationField::field) -
                          fields.begin());
}

QVariant at(const GenerationEditor& editor, SettingField field, int role) {
  return editor.data(editor.index(rowOf(field)), role);
}

GenerationSettings withTemperature(double temperature) {
  GenerationSettings settings;
  settings.temperature = temperature;
  return settings;
}

}  // namespace

class GenerationEditorTest : public QObject {
  Q_OBJECT

 private slots:
  void everyField_isShownOnce_withTextsAndAValue() {
    GenerationEditor editor;
    QAbstractItemModelTester tester(&editor);
    editor.show(SettingsLayer::Chat, {});
    QCOMPARE(editor.rowCount(), kNumSettingFields);
    for (int row = 0; row < editor.rowCount(); ++row) {
      QVERIFY(!editor.data(editor.index(row), GenerationEditor::kName).toString().isEmpty());
      QVERIFY(!editor.data(editor.index(row), GenerationEditor::kHelp).toString().isEmpty());
      QVERIFY(editor.data(editor.index(row), GenerationEditor::kDefaultText)
                  .toString()
                  .startsWith("Default: "));
      QVERIFY(!editor.data(editor.index(row), GenerationEditor::kIsSet).toBool());
    }
    QVERIFY(!editor.hasOwn());
  }

  void default_namesItsSource() {
    GenerationEditor editor;
    SettingsLayers layers;
    editor.show(SettingsLayer::Chat, layers);
    QCOMPARE(at(editor, SettingField::Temperature, GenerationEditor::kDefaultText).toString(),
             QString("Default: 0.7"));
    layers.modelFile = withTemperature(0.6);
    editor.show(SettingsLayer::Chat, layers);
    QCOMPARE(at(editor, SettingField::Temperature, GenerationEditor::kDefaultText).toString(),
             QString("Default: 0.6, from the model's files"));
    layers.model = withTemperature(0.5);
    editor.show(SettingsLayer::Chat, layers, "Qwen3-8B");
    QCOMPARE(at(editor, SettingField::Temperature, GenerationEditor::kDefaultText).toString(),
             QString("Default: 0.5, from the settings of Qwen3-8B"));
    layers.persona = withTemperature(0.4);
    layers.chat = withTemperature(0.9);
    editor.show(SettingsLayer::Chat, layers, "Qwen3-8B", "Plain teacher");
    QCOMPARE(at(editor, SettingField::Temperature, GenerationEditor::kDefaultText).toString(),
             QString("Default: 0.4, from the persona Plain teacher"));
    QCOMPARE(at(editor, SettingField::Temperature, GenerationEditor::kValueText).toString(),
             QString("0.9"));
  }

  void set_storesTheValue_andResetRestoresTheDefault() {
    GenerationEditor editor;
    editor.show(SettingsLayer::Persona, {.modelFile = withTemperature(0.6)});
    QSignalSpy edited(&editor, &GenerationEditor::edited);
    editor.set(rowOf(SettingField::Temperature), "1.2");
    QCOMPARE(edited.size(), 1);
    QCOMPARE(editor.own().temperature, std::optional(1.2));
    QVERIFY(at(editor, SettingField::Temperature, GenerationEditor::kIsSet).toBool());
    QCOMPARE(editor.summary(), QString("1 changed"));
    editor.reset(rowOf(SettingField::Temperature));
    QCOMPARE(editor.own(), GenerationSettings());
    QCOMPARE(at(editor, SettingField::Temperature, GenerationEditor::kValueText).toString(),
             QString("0.6"));
    QCOMPARE(edited.size(), 2);
  }

  void set_ofTheShownText_setsNothing() {
    GenerationEditor editor;
    editor.show(SettingsLayer::Chat, {});
    QSignalSpy edited(&editor, &GenerationEditor::edited);
    editor.set(rowOf(SettingField::Temperature), "0.7");
    editor.set(rowOf(SettingField::Seed), "new each time");
    QVERIFY(edited.isEmpty());
    QVERIFY(!editor.hasOwn());
  }

  void set_ofEmptyText_resets() {
    GenerationEditor editor;
    editor.show(SettingsLayer::Chat, {.chat = withTemperature(0.9)});
    editor.set(rowOf(SettingField::Temperature), " ");
    QVERIFY(!editor.hasOwn());
  }

  void valueOutOfRange_isRejectedWithAnError_data() {
    QTest::addColumn<int>("field");
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, SettingField field, const char* text) {
      QTest::newRow(name) << static_cast<int>(field) << QString::fromUtf8(text);
    };
    row("no number", SettingField::Temperature, "warm");
    row("below", SettingField::Temperature, "-0.1");
    row("above", SettingField::Temperature, "101");
    row("not finite", SettingField::Temperature, "inf");
    row("top_p of nothing", SettingField::TopP, "0");
    row("top_p above 1", SettingField::TopP, "1.01");
    row("min_p", SettingField::MinP, "2");
    row("top_k below", SettingField::TopK, "-1");
    row("top_k not whole", SettingField::TopK, "1.5");
    row("no answer", SettingField::MaxTokens, "0");
    row("too long", SettingField::MaxTokens, "99999999999");
    row("repetition of nothing", SettingField::RepetitionPenalty, "0");
    row("repetition above", SettingField::RepetitionPenalty, "1e9");
    row("presence", SettingField::PresencePenalty, "101");
    row("seed", SettingField::Seed, "-5");
    row("switch", SettingField::ShowReasoning, "maybe");
  }
  void valueOutOfRange_isRejectedWithAnError() {
    QFETCH(int, field);
    QFETCH(QString, text);
    GenerationEditor editor;
    editor.show(SettingsLayer::Chat, {});
    QSignalSpy edited(&editor, &GenerationEditor::edited);
    const int row = rowOf(static_cast<SettingField>(field));
    editor.set(row, text);
    const QString problem = editor.data(editor.index(row), GenerationEditor::kProblem).toString();
    QVERIFY2(problem.endsWith(u'.'), qPrintable(problem));
    QVERIFY(edited.isEmpty());
    QVERIFY(!editor.hasOwn());
    editor.reset(row);
    QVERIFY(editor.data(editor.index(row), GenerationEditor::kProblem).toString().isEmpty());
  }

  void temperatureBeyondItsSlider_isAcceptedWithAWarning() {
    GenerationEditor editor;
    editor.show(SettingsLayer::Chat, {});
    const int row = rowOf(SettingField::Temperature);
    editor.set(row, "9");
    QCOMPARE(editor.own().temperature, std::optional(9.0));
    QVERIFY(
        editor.data(editor.index(row), GenerationEditor::kProblem).toString().contains("random"));
    editor.set(row, "2");
    QCOMPARE(editor.data(editor.index(row), GenerationEditor::kProblem).toString(), QString());
  }

  void stopStrings_roundTripThroughText() {
    GenerationEditor editor;
    editor.show(SettingsLayer::Chat, {});
    const int row = rowOf(SettingField::Stop);
    editor.set(row, "###|\\nUser:|a\\|b|c\\\\d");
    QCOMPARE(editor.own().stop, std::optional(QStringList({"###", "\nUser:", "a|b", "c\\d"})));
    QCOMPARE(at(editor, SettingField::Stop, GenerationEditor::kValueText).toString(),
             QString("###|\\nUser:|a\\|b|c\\\\d"));
  }

  void slide_roundsToTheSlidersSteps() {
    GenerationEditor editor;
    editor.show(SettingsLayer::Model, {});
    editor.slide(rowOf(SettingField::Temperature), 0.8500000001);
    QCOMPARE(editor.own().temperature, std::optional(0.85));
  }

  void resetAll_keepsUnknownKeys() {
    GenerationSettings settings = withTemperature(0.9);
    settings.unknown = R"({"mirostat":2})";
    GenerationEditor editor;
    editor.show(SettingsLayer::Chat, {.chat = settings});
    editor.resetAll();
    QVERIFY(!editor.hasOwn());
    QCOMPARE(editor.own().unknown, QByteArray(R"({"mirostat":2})"));
  }
};

QTEST_GUILESS_MAIN(GenerationEditorTest)
#include "tst_generation_editor.moc"
