pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Layouts
import Quire
import Quire.Models

/// What fills the window beside the sidebar: the panes with their chats, or one of the pages. A page is made when it is
/// first shown and stays; its place in the stack is its number in AppModel.Page.
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
