import { TextArea, TextField } from "../../components/field.tsx";

type Faq = { question: string; otherWordings: string; answer: string };

type Props = {
  values: Faq;
  change: (part: Partial<Faq>) => void;
  errorAt: (path: string) => string | undefined;
};

/** The fields of a question with its answer. `otherWordings` has one wording per line. */
export function FaqFields({ values, change, errorAt }: Props) {
  return (
    <>
      <TextField
        label="Question"
        value={values.question}
        onChange={(question) => change({ question })}
        error={errorAt("question")}
      />
      <TextArea
        label="Other wordings"
        isOptional
        help="Other ways to ask the question, one per line."
        value={values.otherWordings}
        onChange={(otherWordings) => change({ otherWordings })}
        error={errorAt("otherWordings")}
      />
      <TextArea
        label="Answer"
        rows={5}
        value={values.answer}
        onChange={(answer) => change({ answer })}
        error={errorAt("answer")}
      />
    </>
  );
}
