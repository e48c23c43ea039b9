#include "app/settings/setting_synonyms.h"

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
    {"theme", QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                                "dark mode, night, light mode, colours, colors, background")},
    {"textSize", QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                                   "font size, letters, zoom, scale, bigger, larger, smaller")},
    {"language",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "English, Korean, translation, locale")},
    {"notifyAnswers",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "alerts, notify, pop-ups, popups")},
    {"notifySound", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "mute, silent, volume, beep")},
    {"device", QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                                 "GPU, graphics card, CUDA, NVIDIA, VRAM, CPU, processor")},
    {"engineModel", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "default model, LLM")},
    {"loadedModels", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "restart")},
    {"idle", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "RAM, VRAM, timeout, sleep, power")},
    {"server", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "HTTP, REST, endpoint, localhost")},
    {"serverAddress", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "host, endpoint, localhost")},
    {"serverKey",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "token, password, secret, authentication")},
    {"serverReach",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "network, LAN, Wi-Fi, remote access, firewall")},
    {"dataFolder", QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                                     "storage, location, path, directory, database, files")},
    {"personaSpace", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "storage, prefix cache, SSD")},
    {"chatSpace", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "storage, prefix cache, SSD")},
    {"backups",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                       "restore, save a copy, archive, transfer, move to another computer")},
    {"privacy", QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                                  "telemetry, tracking, data protection, offline, internet")},
    {"shortcuts", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "hotkeys, key bindings")},
    {"version", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "version, update, release, build")},
    {"licence", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "license, open source, copyright")},
    {"sampling0", QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                                    "creativity, creative, random, sampling, deterministic")},
    {"sampling1", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "nucleus, random, sampling")},
    {"sampling2", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "random, sampling")},
    {"sampling3", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "random, sampling")},
    {"sampling4",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "max tokens, limit, shorter, longer")},
    {"sampling5", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "repeat, loop")},
    {"sampling6", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "repeat, loop")},
    {"sampling7", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "loop")},
    {"sampling8", QT_TRANSLATE_NOOP("quire::SettingSynonyms", "stop sequences, end of answer")},
    {"sampling9",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "random, reproducible, deterministic")},
    {"sampling10",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "thinking, thoughts, chain of thought")},
    {"engine0",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "processor, performance, speed, faster")},
    {"engine1", QT_TRANSLATE_NOOP("quire::SettingSynonyms",
                                  "context window, context length, history, RAM, VRAM")},
    {"engine2",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "RAM, VRAM, GPU memory, graphics card")},
    {"engine3",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "quantisation, quantization, memory, RAM, VRAM")},
    {"engine4",
     QT_TRANSLATE_NOOP("quire::SettingSynonyms", "prefill, performance, speed, faster, latency")},
};

}  // namespace

QString settingSynonyms(const QString& id) {
  const auto* found = std::ranges::find_if(
      kWords, [&](const Words& words) { return id == QLatin1String(words.id); });
  return found == std::end(kWords) ? QString() : QString::fromUtf8(found->words);
}

}  // namespace quire
