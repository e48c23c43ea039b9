pragma ComponentBehavior: Bound
import QtQuick
import Quire
import Quire.Models

/// A column of figures.
Column {
    id: column

    required property FigureList figures

    Repeater {
        model: column.figures

        FigureRow { width: column.width }
    }
}
