pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// A stack of the panes and the other pages. A page is created when it is first shown and kept; its index is its
/// number in AppModel.Page.
StackLayout {
    id: host

    required property AppModel app
    required property bool isOpen

    function focusComposer(): void {
        chats.focusComposer();
    }

    currentIndex: host.app.page

    ChatArea {
        id: chats

        app: host.app
        isOpen: host.isOpen

        ChatSheet { app: host.app }
    }
    PageLoader {
        app: host.app
        page: AppModel.Personas
        sourceComponent: Component { PersonasPage { app: host.app } }
    }
    PageLoader {
        app: host.app
        page: AppModel.Models
        sourceComponent: Component { ModelsPage { library: host.app.models } }
    }
    PageLoader {
        app: host.app
        page: AppModel.Engine
        sourceComponent: Component { EnginePage { monitor: host.app.monitor } }
    }
    PageLoader {
        app: host.app
        page: AppModel.Settings
        sourceComponent: Component { SettingsPage { app: host.app } }
    }
    PageLoader {
        app: host.app
        page: AppModel.Shortcuts
        sourceComponent: Component { ShortcutsPage { app: host.app } }
    }
}
