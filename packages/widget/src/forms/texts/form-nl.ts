import type { FormMessages } from "./form-en.ts";

export const texts: FormMessages = {
  formRequired: "Velden met een * zijn verplicht.",
  formSubmit: "Verzenden",
  formSending: "Wordt verzonden",
  formAnswers: "Je antwoorden",
  formInvalid: "Controleer de gemarkeerde velden.",
  formFailed: "Er is iets misgegaan. Probeer het opnieuw.",
  formUnreachable:
    "De server is niet bereikbaar. Je antwoorden staan er nog. Controleer je verbinding en probeer het opnieuw.",
  formTooMany: "Je hebt dit formulier te vaak verzonden. Probeer het over {seconds} s opnieuw.",
  formRefused: "Dit formulier kan op deze pagina niet worden gebruikt.",
  filesTooLarge: "De bestanden zijn samen te groot. Kies kleinere bestanden of verwijder er een.",
  fileUnreadable: "Dit bestand kon niet worden gelezen. Kies het opnieuw.",
  fileNotKept: "Kies het bestand opnieuw. Bestanden worden niet opgeslagen als je de pagina verlaat.",
  chooseOption: "Kies",
  boxRequired: "Vink dit vakje aan.",
  fieldRequired: "Verplicht",
  choicesRequired: "Kies minstens één optie",
  numberEither: "Bedoel je {first} of {second}?",
  yes: "Ja",
  no: "Nee",
  chooseFile: "Bestand kiezen",
  chooseImage: "Afbeelding kiezen",
  upTo: "Tot {size}",
  removeFile: "{name} verwijderen",
};
