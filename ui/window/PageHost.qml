pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A stack of the panes and the other pages. A page is created when it is first shown, and kept; the index of a
/// page is its value in Navigation.Page.
StackLayout {
    id: host

    required property AppModel app
    required property bool isOpen

    function focusComposer(): void {
        chats.focusComposer();
    }

    currentIndex: host.app.navigation.page

    Shortcut {
        sequence: "Esc"
        enabled: host.app.navigation.isPageOpen
        onActivated: host.app.navigation.closePage()
    }

    ChatArea {
        id: chats

        app: host.app
        isOpen: host.isOpen

        ChatSheet {
            settings: host.app.chatSettings
            navigation: host.app.navigation
            personas: host.app.personas
        }
    }
    PageLoader {
        isCurrent: host.app.navigation.showsPersonas
        delegate: Component { PersonasPage { navigation: host.app.navigation; library: host.app.personaLibrary } }
    }
    PageLoader {
        isCurrent: host.app.navigation.showsModels
        delegate: Component { ModelsPage { library: host.app.models; source: host.app.getModels } }
    }
    PageLoader {
        isCurrent: host.app.navigation.showsEngine
        delegate: Component { EnginePage { monitor: host.app.monitor; bench: host.app.bench } }
    }
    PageLoader {
        isCurrent: host.app.navigation.showsSettings
        delegate: Component { SettingsPage { app: host.app } }
    }
    PageLoader {
        isCurrent: host.app.navigation.showsShortcuts
        delegate: Component { ShortcutsPage { commands: host.app.commands; shortcuts: host.app.shortcuts } }
    }
}
