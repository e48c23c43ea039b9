#include "app/settings/setting_words.h"

#include <QtGlobal>

#include <algorithm>
#include <iterator>

namespace quire {
namespace {

struct Words {
  const char* id;
  const char* words;
};

constexpr Words kWords[] = {
    {"theme", QT_TRANSLATE_NOOP("quire::SettingWords",
                                "dark mode, night, light mode, colours, colors, background")},
    {"textSize", QT_TRANSLATE_NOOP("quire::SettingWords",
                                   "font size, letters, zoom, scale, bigger, larger, smaller")},
    {"language", QT_TRANSLATE_NOOP("quire::SettingWords", "English, Korean, translation, locale")},
    {"notifyAnswers", QT_TRANSLATE_NOOP("quire::SettingWords", "alerts, notify, pop-ups, popups")},
    {"notifySound", QT_TRANSLATE_NOOP("quire::SettingWords", "mute, silent, volume, beep")},
    {"device", QT_TRANSLATE_NOOP("quire::SettingWords",
                                 "GPU, graphics card, CUDA, NVIDIA, VRAM, CPU, processor")},
    {"engineModel", QT_TRANSLATE_NOOP("quire::SettingWords", "default model, LLM")},
    {"loadedModels", QT_TRANSLATE_NOOP("quire::SettingWords", "restart")},
    {"idle", QT_TRANSLATE_NOOP("quire::SettingWords", "RAM, VRAM, timeout, sleep, power")},
    {"server", QT_TRANSLATE_NOOP("quire::SettingWords", "HTTP, REST, endpoint, localhost")},
    {"serverAddress", QT_TRANSLATE_NOOP("quire::SettingWords", "host, endpoint, localhost")},
    {"serverKey",
     QT_TRANSLATE_NOOP("quire::SettingWords", "token, password, secret, authentication")},
    {"serverReach",
     QT_TRANSLATE_NOOP("quire::SettingWords", "network, LAN, Wi-Fi, remote access, firewall")},
    {"dataFolder", QT_TRANSLATE_NOOP("quire::SettingWords",
                                     "storage, location, path, directory, database, files")},
    {"personaSpace", QT_TRANSLATE_NOOP("quire::SettingWords", "storage, prefix cache, SSD")},
    {"chatSpace", QT_TRANSLATE_NOOP("quire::SettingWords", "storage, prefix cache, SSD")},
    {"backups",
     QT_TRANSLATE_NOOP("quire::SettingWords",
                       "restore, save a copy, archive, transfer, move to another computer")},
    {"privacy", QT_TRANSLATE_NOOP("quire::SettingWords",
                                  "telemetry, tracking, data protection, offline, internet")},
    {"shortcuts", QT_TRANSLATE_NOOP("quire::SettingWords", "hotkeys, key bindings")},
    {"version", QT_TRANSLATE_NOOP("quire::SettingWords", "version, update, release, build")},
    {"licence", QT_TRANSLATE_NOOP("quire::SettingWords", "license, open source, copyright")},
    {"sampling0", QT_TRANSLATE_NOOP("quire::SettingWords",
                                    "creativity, creative, random, sampling, deterministic")},
    {"sampling1", QT_TRANSLATE_NOOP("quire::SettingWords", "nucleus, random, sampling")},
    {"sampling2", QT_TRANSLATE_NOOP("quire::SettingWords", "random, sampling")},
    {"sampling3", QT_TRANSLATE_NOOP("quire::SettingWords", "random, sampling")},
    {"sampling4", QT_TRANSLATE_NOOP("quire::SettingWords", "max tokens, limit, shorter, longer")},
    {"sampling5", QT_TRANSLATE_NOOP("quire::SettingWords", "repeat, loop")},
    {"sampling6", QT_TRANSLATE_NOOP("quire::SettingWords", "repeat, loop")},
    {"sampling7", QT_TRANSLATE_NOOP("quire::SettingWords", "loop")},
    {"sampling8", QT_TRANSLATE_NOOP("quire::SettingWords", "stop sequences, end of answer")},
    {"sampling9", QT_TRANSLATE_NOOP("quire::SettingWords", "random, reproducible, deterministic")},
    {"sampling10",
     QT_TRANSLATE_NOOP("quire::SettingWords", "thinking, thoughts, chain of thought")},
    {"engine0", QT_TRANSLATE_NOOP("quire::SettingWords", "processor, performance, speed, faster")},
    {"engine1", QT_TRANSLATE_NOOP("quire::SettingWords",
                                  "context window, context length, history, RAM, VRAM")},
    {"engine2", QT_TRANSLATE_NOOP("quire::SettingWords", "RAM, VRAM, GPU memory, graphics card")},
    {"engine3",
     QT_TRANSLATE_NOOP("quire::SettingWords", "quantisation, quantization, memory, RAM, VRAM")},
    {"engine4",
     QT_TRANSLATE_NOOP("quire::SettingWords", "prefill, performance, speed, faster, latency")},
};

}  // namespace

QString settingWords(const QString& id) {
  const auto* found = std::ranges::find_if(
      kWords, [&](const Words& words) { return id == QLatin1String(words.id); });
  return found == std::end(kWords) ? QString() : QString::fromUtf8(found->words);
}

}  // namespace quire
