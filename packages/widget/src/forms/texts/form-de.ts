import type { FormMessages } from "./form-en.ts";

export const texts: FormMessages = {
  formRequired: "Mit * markierte Felder sind Pflichtfelder.",
  formSubmit: "Absenden",
  formSending: "Wird gesendet",
  formAnswers: "Ihre Angaben",
  formInvalid: "Bitte prüfen Sie die markierten Felder.",
  formFailed: "Da ist etwas schiefgegangen. Bitte versuchen Sie es noch einmal.",
  formUnreachable:
    "Der Server ist nicht erreichbar. Ihre Angaben sind noch da. Bitte prüfen Sie die Verbindung und versuchen Sie es erneut.",
  formTooMany: "Sie haben dieses Formular zu oft abgeschickt. Versuchen Sie es in {seconds} s erneut.",
  formRefused: "Dieses Formular kann auf dieser Seite nicht verwendet werden.",
  filesTooLarge: "Die Dateien sind insgesamt zu groß. Wählen Sie kleinere Dateien, oder entfernen Sie eine.",
  fileUnreadable: "Diese Datei konnte nicht gelesen werden. Bitte wählen Sie sie noch einmal aus.",
  fileNotKept:
    "Bitte wählen Sie die Datei noch einmal aus. Dateien werden nicht gespeichert, wenn Sie die Seite verlassen.",
  chooseOption: "Auswählen",
  boxRequired: "Bitte setzen Sie hier ein Häkchen.",
  fieldRequired: "Pflichtfeld",
  choicesRequired: "Bitte wählen Sie mindestens eine Option",
  numberEither: "Meinen Sie {first} oder {second}?",
  yes: "Ja",
  no: "Nein",
  chooseFile: "Datei auswählen",
  chooseImage: "Bild auswählen",
  upTo: "Bis {size}",
  removeFile: "{name} entfernen",
};
