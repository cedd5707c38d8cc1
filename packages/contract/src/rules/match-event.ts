const MAX_VALUES = 200;
const MAX_CHARACTERS = 10_000;
const MAX_DEPTH = 10;
const MAX_PATH = 200;

/**
 * Whether an event fired by the site matches a trigger: it has the name, and all conditions on its data hold. Without
 * conditions the name is enough. Conditions that `findEventDataProblem` refuses never match, except that their size is
 * not checked again. A condition is a value, which is the same as `$eq`, or operators that must all hold. Dots lead
 * into objects and arrays: `items.0.sku` is the SKU of the first item, `items.sku` that of any item. A nested object
 * means the same as dots, so `{ cart: { currency: "EUR" } }` ignores other fields of the cart; `$eq` compares a whole
 * object. As in MongoDB, an array matches when it matches itself or one of its members does. `$ne` and `$nin` negate
 * `$eq` and `$in`, so they hold for a missing field. `null` equals a missing field. `$gt` and similar operators compare
 * two numbers, or two strings by code unit, which orders ISO dates. `$contains` looks for a substring or an array
 * member. Reads own properties only, and compares each value of the conditions with each value of its field at most
 * once.
 */
export function matchEvent(
  conditions: { event: string; eventData?: object | null },
  name: string,
  data: unknown,
): boolean {
  if (conditions.event !== name) return false;
  const wanted = parseConditions(conditions.eventData);
  return Array.isArray(wanted) && wanted.every(({ path, test, operand }) => test(operand, findValues(data, path)));
}

/**
 * The first problem of conditions that are about to be saved, starting with its path (`cart.total.$gt must be …`); null
 * when they are valid.
 */
export function findEventDataProblem(eventData: unknown): string | null {
  if (isTooLarge(eventData)) return `must have at most ${MAX_VALUES} values and ${MAX_CHARACTERS} characters in total`;
  const wanted = parseConditions(eventData);
  if (Array.isArray(wanted)) return null;
  const path = wanted.path.join(".");
  return `${path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path} ${messages[wanted.rule]}`.trim();
}

/** Counts only up to the limit, so that a huge value is not traversed as a whole. */
function isTooLarge(eventData: unknown): boolean {
  const rest = [eventData];
  let characters = 0;
  for (let values = 0; rest.length > 0; values++) {
    const value = rest.pop();
    if (typeof value === "string") characters += value.length;
    if (values > MAX_VALUES || characters > MAX_CHARACTERS) return true;
    if (typeof value !== "object" || value === null) continue;
    // Check the number of entries before listing them, because a large value can have hundreds of thousands.
    if ((Array.isArray(value) ? value : Object.keys(value)).length > MAX_VALUES) return true;
    for (const [key, inner] of Object.entries(value)) {
      characters += key.length;
      rest.push(inner);
    }
  }
  return characters > MAX_CHARACTERS;
}

type Rule = keyof typeof messages;
type Problem = { path: string[]; rule: Rule };
/** `path` points into the event's data. `operand` has already been validated for the test. */
type Condition = { path: string[]; operand: unknown; test: Operator["test"] };
/** `values` contains everything that a path resolves to. */
type Operator = {
  test: (operand: unknown, values: unknown[]) => boolean;
  /** Describes an invalid operand. Omitted when every operand is valid. */
  problem?: (operand: unknown) => Rule | null;
};

/** Separate from the check, so that programs that only match events do not include the messages. */
const messages = {
  object: "must be an object",
  depth: `is nested deeper than ${MAX_DEPTH} levels`,
  name: "is a name that cannot be used",
  place: "must be directly under the name of a field",
  empty: "must not be an empty object",
  operator: "must be one of $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $contains",
  ordered: "must be a number or text",
  list: "must be a non-empty list",
  boolean: "must be true or false",
};

const equals: Operator["test"] = (operand, values) => hasMatch(values, (value) => isEqual(operand, value));
const isListed: Operator["test"] = (operand, values) =>
  hasMatch(values, (value) => (operand as unknown[]).some((item) => isEqual(item, value)));
const listProblem = (operand: unknown) => (Array.isArray(operand) && operand.length > 0 ? null : "list");
const not =
  (test: Operator["test"]): Operator["test"] =>
  (operand, values) =>
    !test(operand, values);

const operators: Record<string, Operator> = {
  $eq: { test: equals },
  $ne: { test: not(equals) },
  $gt: createOrderOperator((value, operand) => value > operand),
  $gte: createOrderOperator((value, operand) => value >= operand),
  $lt: createOrderOperator((value, operand) => value < operand),
  $lte: createOrderOperator((value, operand) => value <= operand),
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

/** The string types only ensure that both operands have the same type. Numbers work as well. */
function createOrderOperator(compare: (value: string, operand: string) => boolean): Operator {
  return {
    test: (operand, values) =>
      hasMatch(values, (value) => typeof value === typeof operand && compare(value as string, operand as string)),
    problem: (operand) => (typeof operand === "number" || typeof operand === "string" ? null : "ordered"),
  };
}

function hasMatch(values: unknown[], matches: (value: unknown) => boolean): boolean {
  return values.some((value) => matches(value) || (Array.isArray(value) && value.some(matches)));
}

function parseConditions(eventData: unknown): Condition[] | Problem {
  if (eventData === undefined || eventData === null) return [];
  if (!isObject(eventData)) return { path: [], rule: "object" };
  const conditions: Condition[] = [];
  return read(eventData, { path: [], isOperand: false, conditions }) ?? conditions;
}

/**
 * Collects the conditions up to the first problem.
 * @param isOperand true within a value that is only compared and contains no conditions
 */
function read(
  value: unknown,
  { path, isOperand, conditions }: { path: string[]; isOperand: boolean; conditions: Condition[] },
): Problem | null {
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
    const problem = read(inner, { path: to, isOperand: !isFields || hasTests, conditions });
    if (problem) return problem;
  }
  return null;
}

/**
 * Returns everything that the path resolves to, including `undefined` where it does not resolve. Sets ensure that
 * shared objects are visited once.
 */
function findValues(data: unknown, path: string[]): unknown[] {
  let level = new Set([data]);
  for (const name of path) {
    const next = new Set<unknown>();
    for (const value of level) {
      // Accept only positions of an array, because `length` is an own property as well.
      if (Array.isArray(value) && /^\d+$/.test(name) && Object.hasOwn(value, name)) next.add(value[Number(name)]);
      for (const owner of Array.isArray(value) ? value : [value]) {
        if (isObject(owner)) next.add(Object.hasOwn(owner, name) ? owner[name] : undefined);
      }
    }
    level = next;
  }
  return level.size === 0 ? [undefined] : [...level];
}

/**
 * Compares two values regardless of the order of object keys. A missing value equals null. Recurses as deep as
 * `wanted`.
 */
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
