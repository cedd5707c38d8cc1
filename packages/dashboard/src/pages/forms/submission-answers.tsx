import { Download, File } from "lucide-react";
import { useState } from "react";
import { Tag } from "../../components/status.tsx";
import { type Answer, type FileAnswer, formatBytes, isPreviewable } from "../../components/submitted-answers.ts";

const LONG_TEXT = 1_500;

/** All answers with the labels of their fields. */
export function SubmissionAnswers({ answers, isFormGone }: { answers: readonly Answer[]; isFormGone: boolean }) {
  return (
    <div className="grid gap-3">
      {isFormGone && <p className="text-soft">The form was deleted, so answers have field names instead of labels.</p>}
      {answers.length === 0 && <p className="text-soft">Submitted without answers.</p>}
      <dl className="border-t border-line">
        {answers.map((answer) => (
          <div
            key={answer.name}
            className="grid gap-x-6 gap-y-0.5 border-b border-line py-2.5 last:border-b-0 sm:grid-cols-[minmax(120px,200px)_minmax(0,1fr)]"
          >
            <dt className="text-soft">
              {answer.label}
              {answer.isGone && !isFormGone && (
                <span className="ms-2">
                  <Tag>no longer in the form</Tag>
                </span>
              )}
            </dt>
            <dd className="min-w-0">
              <Value answer={answer} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Value({ answer: { text, file, label, type } }: { answer: Answer }) {
  if (file) return <SubmittedFile file={file} label={label} />;
  if (text.trim() === "") return <span className="text-soft">No answer</span>;
  const scheme = type === "email" ? "mailto" : type === "tel" ? "tel" : null;
  if (scheme && !/\s/.test(text.trim())) {
    return (
      <a href={`${scheme}:${encodeURIComponent(text.trim().toWellFormed())}`} className="underline underline-offset-2">
        {text}
      </a>
    );
  }
  if (text.length > LONG_TEXT) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard
      <section tabIndex={0} aria-label={label} className="max-h-80 overflow-y-auto whitespace-pre-wrap">
        {text}
      </section>
    );
  }
  return <span className="whitespace-pre-wrap">{text}</span>;
}

/** A submitted file. Plain images have a preview. Every file can be downloaded, and none is opened as a page. */
function SubmittedFile({ file: { name, mediaType, size, url }, label }: { file: FileAnswer; label: string }) {
  const [isBroken, setBroken] = useState(false);
  return (
    <div className="grid justify-items-start gap-2">
      {isPreviewable(mediaType) && !isBroken && (
        <img
          src={url}
          alt={label}
          onError={() => setBroken(true)}
          className="h-48 max-w-full rounded-lg border border-line bg-sunken object-contain"
        />
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="inline-flex items-center gap-2">
          <File size={16} aria-hidden className="shrink-0" />
          <span className="min-w-0 break-words">
            {name !== null && <bdi className="font-medium">{name}</bdi>}
            <span className={name === null ? "" : "ms-2 text-soft"}>
              {mediaType}, {formatBytes(size)}
            </span>
          </span>
        </span>
        <a href={url} download className="inline-flex items-center gap-1.5 underline underline-offset-2">
          <Download size={16} aria-hidden /> Download <span className="sr-only">{label}</span>
        </a>
      </div>
    </div>
  );
}
