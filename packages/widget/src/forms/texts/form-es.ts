import type { FormMessages } from "./form-en.ts";

export const texts: FormMessages = {
  formRequired: "Los campos marcados con * son obligatorios.",
  formSubmit: "Enviar",
  formSending: "Enviando",
  formAnswers: "Tus respuestas",
  formInvalid: "Revisa los campos marcados.",
  formFailed: "Algo ha salido mal. Inténtalo de nuevo.",
  formUnreachable:
    "No se ha podido contactar con el servidor. Tus respuestas siguen aquí. Comprueba tu conexión e inténtalo de nuevo.",
  formTooMany: "Has enviado este formulario demasiadas veces. Inténtalo de nuevo en {seconds} s.",
  formRefused: "Este formulario no se puede usar en esta página.",
  filesTooLarge: "Los archivos son demasiado grandes en total. Elige otros más pequeños o quita uno.",
  fileUnreadable: "No se ha podido leer este archivo. Elígelo de nuevo.",
  fileNotKept: "Elige el archivo de nuevo. Los archivos no se guardan al salir de la página.",
  chooseOption: "Elegir",
  boxRequired: "Marca esta casilla.",
  fieldRequired: "Obligatorio",
  choicesRequired: "Elige al menos una opción",
  numberEither: "¿Quieres decir {first} o {second}?",
  yes: "Sí",
  no: "No",
  chooseFile: "Elegir archivo",
  chooseImage: "Elegir imagen",
  upTo: "Hasta {size}",
  removeFile: "Quitar {name}",
};
