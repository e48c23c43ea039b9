import QtQuick
import Quire.Models

/// The sheets and questions about the files of models.
Item {
    id: sheets

    required property ModelFileActions files

    DuplicatesSheet {
        objectName: "duplicatesSheet"
        files: sheets.files
    }
    MoveModelSheet {
        objectName: "moveSheet"
        mover: sheets.files.mover
    }
    DeleteModelSheet {
        objectName: "deleteSheet"
        removal: sheets.files.removal
    }
    RenameModelCard {
        objectName: "renameCard"
        files: sheets.files
    }
}
