import QtQuick
import Quire
import Quire.Models

/// Version, system and licences.
SettingsCard {
    id: section

    required property SettingsModel settings

    heading: qsTr("About")

    SettingRow {
        label: section.settings.versionText
        help: section.settings.systemText
    }
    SettingRow {
        label: qsTr("Licence")
        help: qsTr("Quire is free software under the Apache License 2.0. It is built on Qt (LGPL 3), SQLite (public domain), "
            + "md4c and nlohmann/json (MIT), and the fonts Inter and JetBrains Mono (SIL Open Font License).")
    }
}
