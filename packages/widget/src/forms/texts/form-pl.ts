import type { FormMessages } from "./form-en.ts";

export const texts: FormMessages = {
  formRequired: "Pola oznaczone * są wymagane.",
  formSubmit: "Wyślij",
  formSending: "Wysyłanie",
  formAnswers: "Twoje odpowiedzi",
  formInvalid: "Sprawdź oznaczone pola.",
  formFailed: "Coś poszło nie tak. Spróbuj ponownie.",
  formUnreachable:
    "Nie można połączyć się z serwerem. Twoje odpowiedzi nie zostały utracone. Sprawdź połączenie i spróbuj ponownie.",
  formTooMany: "Formularz wysłano zbyt wiele razy. Spróbuj ponownie za {seconds} s.",
  formRefused: "Tego formularza nie można użyć na tej stronie.",
  filesTooLarge: "Łączny rozmiar plików jest zbyt duży. Wybierz mniejsze pliki lub usuń jeden z nich.",
  fileUnreadable: "Nie udało się odczytać pliku. Wybierz go ponownie.",
  fileNotKept: "Wybierz plik ponownie. Pliki nie są zapisywane po opuszczeniu strony.",
  chooseOption: "Wybierz",
  boxRequired: "Zaznacz to pole.",
  fieldRequired: "Pole wymagane",
  choicesRequired: "Wybierz co najmniej jedną opcję",
  numberEither: "Czy chodzi o {first} czy o {second}?",
  yes: "Tak",
  no: "Nie",
  chooseFile: "Wybierz plik",
  chooseImage: "Wybierz obraz",
  upTo: "Do {size}",
  removeFile: "Usuń {name}",
};
