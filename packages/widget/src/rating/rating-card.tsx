/** @jsxImportSource preact */
import { maxRatingCommentLength } from "@foyer/contract/rules/limits";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { interpolate } from "../locales/load-messages.ts";
import { focusPanel } from "../panel/focus.ts";
import { IconButton } from "../panel/icon-button.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "../store.ts";
import type { RatingController } from "./create-rating.ts";

const scores = [1, 2, 3, 4, 5] as const;

type Props = { rating: RatingController };

/** The question that asks the visitor to rate the conversation, or the rating that was given. */
export function RatingCard({ rating }: Props): JSX.Element | null {
  const { messages } = usePanel();
  const { texts } = rating;
  const { view, score } = useStore(rating.store);
  const card = useRef<HTMLDivElement>(null);
  /** Whether the visitor uses the card, whose focused button disappears. */
  const isUsed = useRef(false);
  useEffect(() => {
    if (!isUsed.current) return;
    isUsed.current = false;
    if (view === "ask") card.current?.querySelector<HTMLElement>("input:checked")?.focus();
    else focusPanel(card.current?.closest<HTMLElement>(".panel"));
  }, [view]);
  const use = (action: () => unknown) => async () => {
    isUsed.current = true;
    if ((await action()) === false) isUsed.current = false;
  };
  return (
    <div ref={card}>
      {view === "none" ? null : (
        <div class="card card-text rating" part="rating">
          {view === "ask" ? (
            <Question rating={rating} onSend={use(rating.send)} />
          ) : (
            <>
              <p>{messages.commentSent}</p>
              <p class="note">
                {interpolate(texts.given, { score: score ?? 0 })} ({texts[`score${score as 1}`]})
              </p>
              <button type="button" class="quiet" onClick={use(rating.change)}>
                {texts.change}
              </button>
            </>
          )}
          <IconButton name="close" label={texts.hide} onClick={use(rating.hide)} />
        </div>
      )}
    </div>
  );
}

function Question({ rating, onSend }: Props & { onSend: () => void }): JSX.Element {
  const { messages } = usePanel();
  const { texts } = rating;
  const { question, score, comment, isBusy, hasFailed } = useStore(rating.store);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      <fieldset>
        <legend dir="auto">{question ?? texts.question}</legend>
        <div class="scores">
          {scores.map((value) => (
            <label key={value} title={texts[`score${value}`]}>
              <input
                type="radio"
                name="score"
                aria-label={`${value}, ${texts[`score${value}`]}`}
                checked={score === value}
                onChange={() => rating.choose(value)}
              />
              <span>{value}</span>
            </label>
          ))}
        </div>
        <div class="ends" aria-hidden="true">
          <span>{texts.score1}</span>
          <span>{texts.score5}</span>
        </div>
      </fieldset>
      {score === null ? null : (
        <>
          <textarea
            rows={2}
            dir={comment === "" ? undefined : "auto"}
            value={comment}
            maxLength={maxRatingCommentLength}
            placeholder={texts.comment}
            aria-label={texts.comment}
            autocomplete="off"
            onInput={(event) => rating.write(event.currentTarget.value)}
          />
          {hasFailed ? (
            <p class="wrong" role="alert">
              {messages.ratingFailed}
            </p>
          ) : null}
          <button type="submit" class="quiet main" aria-disabled={isBusy}>
            {messages.send}
          </button>
        </>
      )}
    </form>
  );
}
