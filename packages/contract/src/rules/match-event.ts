const MAX_VALUES = 200;
const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 10;
const MAX_PATH = 200;

/**
 * Whether an event that the site's code fired is the one that a trigger waits for: it has the name, and all conditions on
 * its data hold. Without conditions the name is enough. What `eventDataProblem` refuses never matches, except that the
 * size is not looked at again.
 *
 * A condition is a value, the same as `$eq`, or operators, which must all hold. Dots lead into objects and arrays:
 * `items.0.sku` is the first one's, `items.sku` any one's. A nested object is the same as dots, so
 * `{ cart: { currency: "EUR" } }` does not mind what else is in the cart; `$eq` compares a whole object. As in MongoDB, an
 * array fits where it fits itself or one of its members does; `$ne` and `$nin` are the opposites of `$eq` and `$in` and
 * so hold for a missing field; `null` equals a missing field. `$gt` and its like compare two numbers, or two texts by
 * their characters' codes, which puts ISO dates in order. `$contains` asks for a part of a text or a member of an array.
 *
 * Reads own properties only. Compares each value of the conditions with each value of its field once at most.
 */
export function matchEvent(
  conditions: { event: string; eventData?: object | null },
  name: string,
  data: unknown,
): boolean {
  if (conditions.event !== name) return false;
  const wanted = conditionsOf(conditions.eventData);
  return Array.isArray(wanted) && wanted.every(({ path, test, operand }) => test(operand, valuesAt(data, path)));
}

/** What is wrong with conditions that are to be saved, its path first (`cart.total.$gt must be …`); null when nothing is. */
export function eventDataProblem(eventData: unknown): string | null {
  if (isTooLarge(eventData)) return `must have at most ${MAX_VALUES} values and ${MAX_CHARACTERS} characters in all`;
  const wanted = conditionsOf(eventData);
  if (Array.isArray(wanted)) return null;
  const path = wanted.path.join(".");
  return `${path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path} ${words[wanted.rule]}`.trim();
}

/** Stops counting at the limit. */
function isTooLarge(eventData: unknown): boolean {
  const rest = [eventData];
  let characters = 0;
  for (let values = 0; rest.length > 0; values++) {
    const value = rest.pop();
    if (typeof value === "string") characters += value.length;
    if (values > MAX_VALUES || characters > MAX_CHARACTERS) return true;
    if (typeof value !== "object" || value === null) continue;
    // Before its entries are made, of which a large one has hundreds of thousands.
    if ((Array.isArray(value) ? value : Object.keys(value)).length > MAX_VALUES) return true;
    for (const [key, inner] of Object.entries(value)) {
      characters += key.length;
      rest.push(inner);
    }
  }
  return characters > MAX_CHARACTERS;
}

type Rule = keyof typeof words;
type Problem = { path: string[]; rule: Rule };
/** `path` leads into the event's data. The operand is one that the test can take. */
type Condition = { path: string[]; operand: unknown; test: Operator["test"] };
/** `values` is all that a path leads to. */
type Operator = {
  test: (operand: unknown, values: unknown[]) => boolean;
  /** what is wrong with an operand; nothing ever is where this is left out */
  problem?: (operand: unknown) => Rule | null;
};

/** Apart from the check, so that they are left out where events are only matched. */
const words = {
  object: "must be an object",
  depth: `is nested deeper than ${MAX_DEPTH} levels`,
  name: "is a name that cannot be used",
  place: "must be directly under the name of a field",
  empty: "must not be an empty object",
  operator: "must be one of $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $contains",
  ordered: "must be a number or a text",
  list: "must be a list that is not empty",
  boolean: "must be true or false",
};

const equals: Operator["test"] = (operand, values) => hasFitting(values, (value) => isEqual(operand, value));
const isListed: Operator["test"] = (operand, values) =>
  hasFitting(values, (value) => (operand as unknown[]).some((item) => isEqual(item, value)));
const listProblem = (operand: unknown) => (Array.isArray(operand) && operand.length > 0 ? null : "list");
const not =
  (test: Operator["test"]): Operator["test"] =>
  (operand, values) =>
    !test(operand, values);

const operators: Record<string, Operator> = {
  $eq: { test: equals },
  $ne: { test: not(equals) },
  $gt: ordered((value, operand) => value > operand),
  $gte: ordered((value, operand) => value >= operand),
  $lt: ordered((value, operand) => value < operand),
  $lte: ordered((value, operand) => value <= operand),
  $in: { test: isListed, problem: listProblem },
  $nin: { test: not(isListed), problem: listProblem },
  $exists: {
    test: (operand, values) => values.some((value) => value !== undefined) === operand,
    problem: (operand) => (typeof operand === "boolean" ? null : "boolean"),
  },
  $contains: {
    test: (operand, values) =>
      values.some((value) =>
        Array.isArray(value)
          ? value.some((item) => isEqual(operand, item))
          : typeof value === "string" && typeof operand === "string" && value.includes(operand),
      ),
  },
};

/** The types only say that both are of one kind: two numbers as well. */
function ordered(compare: (value: string, operand: string) => boolean): Operator {
  return {
    test: (operand, values) =>
      hasFitting(values, (value) => typeof value === typeof operand && compare(value as string, operand as string)),
    problem: (operand) => (typeof operand === "number" || typeof operand === "string" ? null : "ordered"),
  };
}

function hasFitting(values: unknown[], fits: (value: unknown) => boolean): boolean {
  return values.some((value) => fits(value) || (Array.isArray(value) && value.some(fits)));
}

function conditionsOf(eventData: unknown): Condition[] | Problem {
  if (eventData === undefined || eventData === null) return [];
  if (!isObject(eventData)) return { path: [], rule: "object" };
  const conditions: Condition[] = [];
  return read(eventData, [], false, conditions) ?? conditions;
}

/**
 * Gathers the conditions, up to the first problem.
 * @param isOperand inside what is only compared, where there are no conditions
 */
function read(value: unknown, path: string[], isOperand: boolean, conditions: Condition[]): Problem | null {
  if (path.length > MAX_DEPTH) return { path, rule: "depth" };
  const isFields = isObject(value) && !isOperand;
  if (!isFields && !isOperand) conditions.push({ path, operand: value, test: equals });
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value);
  if (isFields && entries.length === 0 && path.length > 0) return { path, rule: "empty" };
  const hasTests = isFields && path.length > 0 && entries.some(([key]) => isOperator(key));
  for (const [key, inner] of entries) {
    const names = key.split(".");
    const to = [...path, ...names];
    if (names.some((name) => /^(__proto__|constructor|prototype|)$/.test(name))) return { path: to, rule: "name" };
    if (!hasTests && names.some(isOperator)) return { path: to, rule: "place" };
    if (hasTests) {
      const operator = Object.hasOwn(operators, key) ? operators[key] : undefined;
      if (!operator) return { path: to, rule: "operator" };
      const rule = operator.problem?.(inner);
      if (rule) return { path: to, rule };
      conditions.push({ path, operand: inner, test: operator.test });
    }
    const problem = read(inner, to, !isFields || hasTests, conditions);
    if (problem) return problem;
  }
  return null;
}

/** All that the path leads to, `undefined` where it leads nowhere. Sets, so that what is shared is entered once. */
function valuesAt(data: unknown, path: string[]): unknown[] {
  let level = new Set([data]);
  for (const name of path) {
    const next = new Set<unknown>();
    for (const value of level) {
      // Positions only: `length` is an own property too.
      if (Array.isArray(value) && /^\d+$/.test(name) && Object.hasOwn(value, name)) next.add(value[Number(name)]);
      for (const owner of Array.isArray(value) ? value : [value]) {
        if (isObject(owner)) next.add(Object.hasOwn(owner, name) ? owner[name] : undefined);
      }
    }
    level = next;
  }
  return level.size === 0 ? [undefined] : [...level];
}

/** The order of an object's names does not matter; a missing value equals null. Goes as deep as `wanted` does. */
function isEqual(wanted: unknown, value: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return wanted === (value ?? null);
  if (typeof value !== "object" || value === null || Array.isArray(wanted) !== Array.isArray(value)) return false;
  const entries = Object.entries(wanted);
  return (
    Object.keys(value).length === entries.length &&
    entries.every(
      ([name, inner]) => Object.hasOwn(value, name) && isEqual(inner, (value as Record<string, unknown>)[name]),
    )
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const isOperator = (name: string) => name.startsWith("$");
