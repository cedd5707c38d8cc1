import type { FormMessages } from "./form-en.ts";

export const texts: FormMessages = {
  formRequired: "Os campos marcados com * são obrigatórios.",
  formSubmit: "Enviar",
  formSending: "Enviando",
  formAnswers: "Suas respostas",
  formInvalid: "Verifique os campos marcados.",
  formFailed: "Algo deu errado. Tente novamente.",
  formUnreachable:
    "Não foi possível acessar o servidor. Suas respostas continuam aqui. Verifique sua conexão e tente novamente.",
  formTooMany: "Você enviou este formulário vezes demais. Tente novamente em {seconds} s.",
  formRefused: "Este formulário não pode ser usado nesta página.",
  filesTooLarge: "O tamanho total dos arquivos é grande demais. Escolha arquivos menores ou remova um.",
  fileUnreadable: "Não foi possível ler este arquivo. Escolha-o novamente.",
  fileNotKept: "Escolha o arquivo novamente. Os arquivos não são salvos quando você sai da página.",
  chooseOption: "Escolha",
  boxRequired: "Marque esta caixa.",
  fieldRequired: "Obrigatório",
  choicesRequired: "Escolha pelo menos uma opção",
  numberEither: "Quer dizer {first} ou {second}?",
  yes: "Sim",
  no: "Não",
  chooseFile: "Escolher arquivo",
  chooseImage: "Escolher imagem",
  upTo: "Até {size}",
  removeFile: "Remover {name}",
};
