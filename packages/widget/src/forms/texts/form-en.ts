/** The texts of forms. `interpolate` replaces placeholders such as `{size}`. */
export const texts = {
  formRequired: "Fields marked with * are required.",
  formSubmit: "Submit",
  formSending: "Sending",
  formAnswers: "Your answers",
  formInvalid: "Please check the marked fields.",
  formFailed: "Something went wrong. Please try again.",
  formUnreachable: "The server couldn't be reached. Your answers are still here. Check your connection and try again.",
  formTooMany: "You've submitted this form too many times. Try again in {seconds} s.",
  formRefused: "This form can't be used on this page.",
  filesTooLarge: "The files are too large in total. Choose smaller files or remove one.",
  fileUnreadable: "This file couldn't be read. Please choose it again.",
  fileNotKept: "Please choose the file again. Files aren't saved when you leave the page.",
  chooseOption: "Choose",
  boxRequired: "Please tick this box.",
  fieldRequired: "Required",
  choicesRequired: "Choose at least one",
  numberEither: "Do you mean {first} or {second}?",
  yes: "Yes",
  no: "No",
  chooseFile: "Choose a file",
  chooseImage: "Choose an image",
  upTo: "Up to {size}",
  removeFile: "Remove {name}",
};

export type FormMessages = { readonly [Key in keyof typeof texts]: string };
