import type { FormMessages } from "./form-en.ts";

export const texts: FormMessages = {
  formRequired: "Les champs marqués d’un * sont obligatoires.",
  formSubmit: "Envoyer",
  formSending: "Envoi en cours",
  formAnswers: "Vos réponses",
  formInvalid: "Vérifiez les champs signalés.",
  formFailed: "Une erreur s’est produite. Réessayez.",
  formUnreachable:
    "Le serveur est injoignable. Vos réponses sont toujours là. Vérifiez votre connexion, puis réessayez.",
  formTooMany: "Vous avez envoyé ce formulaire trop de fois. Réessayez dans {seconds} s.",
  formRefused: "Ce formulaire ne peut pas être utilisé sur cette page.",
  filesTooLarge:
    "La taille totale des fichiers est trop importante. Choisissez des fichiers plus petits ou retirez-en un.",
  fileUnreadable: "Ce fichier n’a pas pu être lu. Choisissez-le à nouveau.",
  fileNotKept: "Choisissez à nouveau le fichier. Les fichiers ne sont pas conservés lorsque vous quittez la page.",
  chooseOption: "Choisir",
  boxRequired: "Cochez cette case.",
  fieldRequired: "Champ obligatoire",
  choicesRequired: "Choisissez au moins une option",
  numberEither: "Voulez-vous dire {first} ou {second} ?",
  yes: "Oui",
  no: "Non",
  chooseFile: "Choisir un fichier",
  chooseImage: "Choisir une image",
  upTo: "Jusqu’à {size}",
  removeFile: "Retirer {name}",
};
