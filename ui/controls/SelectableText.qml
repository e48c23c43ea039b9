import QtQuick
import Quire

/// Text to read, select and copy. While it streams, a cursor stands at its end.
TextEdit {
    id: view

    property bool streaming: false
    property bool endsRightToLeft: false  ///< Its last line runs from right to left.
    /// The position of the end of the text while it streams.
    property rect end

    function moveMark(): void {
        view.end = view.positionToRectangle(view.length);
    }

    readOnly: true
    selectByMouse: true
    textFormat: TextEdit.PlainText
    color: Theme.ink
    selectionColor: Theme.textSelection
    selectedTextColor: Theme.ink
    font.family: Theme.sans
    font.pixelSize: Theme.text
    onTextChanged: if (view.streaming) view.moveMark()
    onWidthChanged: if (view.streaming) view.moveMark()
    onContentHeightChanged: if (view.streaming) view.moveMark()  // Line heights are set after the text.
    onStreamingChanged: if (view.streaming) view.moveMark()
    Accessible.role: Accessible.StaticText
    Accessible.name: view.text

    Loader {
        active: view.streaming
        x: view.endsRightToLeft ? view.end.x - width - 1 : view.end.x + 1
        y: view.end.y + (view.end.height - height) / 2
        sourceComponent: StreamMark {}
    }
}
