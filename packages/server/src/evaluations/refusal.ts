import { withPlainSigns } from "./plain-text.ts";

/**
 * How replies decline in the languages that visitors write most. A sentence counts only when it is about the agent
 * itself, because "You cannot rent without a deposit" answers a question.
 */
const refusals: readonly RegExp[] = [
  /\b(?:I|we)(?:'m| am|'re| are)? (?:really |truly |very )?(?:sorry|afraid)\b.{0,80}\b(?:can(?:no|')?t|cannot|unable|not able|not allowed)\b/i,
  /\b(?:I|we) (?:can(?:no|')t|can not|won't|will not|am unable|are unable|am not able|are not able|am not allowed|must decline|have to decline)\b/i,
  /\b(?:I'm|we're) (?:unable|not able|not allowed)\b/i,
  /\bI (?:don't|do not) (?:give|provide|offer|discuss)\b/i,
  /\b(?:kann|darf|möchte) ich (?:Ihnen |dir |euch )?(?:leider |dazu |das |dabei |hier )*(?:nicht|keine?n?)\b/i,
  /\bich (?:kann|darf|möchte) (?:Ihnen |dir |euch )?(?:leider |dazu |das |dabei |hier )*(?:nicht|keine?n?)\b/i,
  /\bje (?:ne |n')(?:peux|puis|suis) pas\b/i,
  /\bno (?:puedo|podemos|me es posible|estoy autorizad[oa])\b/i,
  /\bnon (?:posso|possiamo|sono in grado)\b/i,
  /\b(?:kan|mag) ik (?:u |je )?(?:helaas )?(?:niet|geen)\b|\bik (?:kan|mag) (?:u |je )?(?:helaas )?(?:niet|geen)\b/i,
  /\bnão (?:posso|podemos|consigo)\b/i,
];

/** Whether a reply declines, as far as its words tell. */
export function isRefusal(text: string): boolean {
  const plain = withPlainSigns(text);
  return refusals.some((pattern) => pattern.test(plain));
}
