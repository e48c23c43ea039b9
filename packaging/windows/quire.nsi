; The installer for Windows: for one user, without an administrator's rights. Built by packaging/windows/package.sh:
;   makensis -DVERSION=0.1.0 -DFILES=folder -DOUTPUT=file quire.nsi
; quire-setup.exe /S            installs without a question
; Uninstall.exe /S [/DATA]      removes it; with /DATA the chats and settings, too (they stay otherwise)
Target amd64-unicode
Unicode true
ManifestDPIAware true
SetCompressor /SOLID lzma
; Nothing of the machine that builds it goes into the installer: the same files give the same bytes.
SetDateSave off
RequestExecutionLevel user

Name "Quire ${VERSION}"
OutFile "${OUTPUT}"
InstallDir "$LOCALAPPDATA\Programs\Quire"
InstallDirRegKey HKCU "Software\Quire" "Folder"

!include "LogicLib.nsh"
!include "FileFunc.nsh"
!include "WordFunc.nsh"

!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\Quire"

Page directory
Page instfiles
UninstPage uninstConfirm
UninstPage instfiles

; A newer Quire may have changed the data in ways that this one does not know.
Function .onInit
  ReadRegStr $0 HKCU "Software\Quire" "Version"
  ${If} $0 != ""
    ${VersionCompare} "$0" "${VERSION}" $1
    ${If} $1 == 1
      IfSilent +2
      MessageBox MB_ICONSTOP "Quire $0 is installed, which is newer than ${VERSION}. Uninstall it first; your chats stay, but this version may not be able to read them."
      SetErrorLevel 3
      Abort
    ${EndIf}
  ${EndIf}
FunctionEnd

Section
  SetOutPath "$INSTDIR"
  File /r "${FILES}/*"
  WriteUninstaller "$INSTDIR\Uninstall.exe"
  WriteRegStr HKCU "Software\Quire" "Folder" "$INSTDIR"
  WriteRegStr HKCU "Software\Quire" "Version" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "Quire"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "Quire"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\Uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\Uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ${GetSize} "$INSTDIR" "/S=0K" $0 $1 $2
  IntFmt $0 "0x%08X" $0
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" "$0"
SectionEnd

; Only what was installed is removed: the folder may be one that the user chose and holds other files.
Section "Uninstall"
  Delete "$INSTDIR\bin\quire-cli.exe"
  RMDir "$INSTDIR\bin"
  RMDir /r "$INSTDIR\share\quire"
  RMDir /r "$INSTDIR\share\doc\quire"
  RMDir "$INSTDIR\share\doc"
  RMDir "$INSTDIR\share"
  Delete "$INSTDIR\Uninstall.exe"
  RMDir "$INSTDIR"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "Software\Quire"
  StrCpy $1 "keep"
  ClearErrors
  ${GetParameters} $0
  ${GetOptions} $0 "/DATA" $2
  ${IfNot} ${Errors}
    StrCpy $1 "remove"
  ${ElseIfNot} ${Silent}
    MessageBox MB_YESNO|MB_ICONQUESTION|MB_DEFBUTTON2 "Remove your chats, settings and caches as well? This cannot be undone." IDNO +2
    StrCpy $1 "remove"
  ${EndIf}
  ${If} $1 == "remove"
    RMDir /r "$LOCALAPPDATA\quire"
  ${EndIf}
SectionEnd
