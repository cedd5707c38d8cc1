import type { FormMessages } from "./form-en.ts";

export const texts: FormMessages = {
  formRequired: "I campi contrassegnati con * sono obbligatori.",
  formSubmit: "Invia",
  formSending: "Invio in corso",
  formAnswers: "Le tue risposte",
  formInvalid: "Controlla i campi evidenziati.",
  formFailed: "Si è verificato un problema. Riprova.",
  formUnreachable:
    "Il server non è raggiungibile. Le tue risposte sono ancora qui. Controlla la connessione e riprova.",
  formTooMany: "Hai inviato questo modulo troppe volte. Riprova tra {seconds} s.",
  formRefused: "Questo modulo non può essere usato in questa pagina.",
  filesTooLarge: "Nel complesso i file sono troppo grandi. Scegli file più piccoli o rimuovine uno.",
  fileUnreadable: "Non è stato possibile leggere il file. Sceglilo di nuovo.",
  fileNotKept: "Scegli di nuovo il file. I file non vengono salvati quando lasci la pagina.",
  chooseOption: "Scegli",
  boxRequired: "Seleziona questa casella.",
  fieldRequired: "Obbligatorio",
  choicesRequired: "Scegli almeno un’opzione",
  numberEither: "Intendi {first} o {second}?",
  yes: "Sì",
  no: "No",
  chooseFile: "Scegli un file",
  chooseImage: "Scegli un’immagine",
  upTo: "Fino a {size}",
  removeFile: "Rimuovi {name}",
};
