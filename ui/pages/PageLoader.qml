pragma ComponentBehavior: Bound
import QtQuick
import Quire.Models

/// Makes a page when it is first shown, and keeps it. The page is the component `content`, which finds the application
/// as `app`.
Loader {
    id: loader

    required property AppModel app
    required property int page

    active: loader.status === Loader.Ready || loader.app.page === loader.page
    Accessible.ignored: true
}
