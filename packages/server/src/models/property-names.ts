import type { JSONSchema7 } from "@ai-sdk/provider";
import { isExactNumber, parseExactJson, toOrderedObject } from "../exact-json.ts";
import type { ModelPart, StreamModel } from "./chat-model.ts";
import { isObject } from "./json.ts";

const plainName = /^[a-zA-Z0-9_.-]{1,64}$/;
/** Keywords whose value is data and contains no names of properties. */
const dataKeywords = new Set(["const", "default", "enum", "examples"]);

/**
 * Renames properties of tool inputs that Anthropic refuses, such as `größe` or `page url`, and gives the calls of the
 * model the owner's names again.
 */
export function withPlainNames(model: StreamModel): StreamModel {
  return {
    provider: model.provider,
    modelId: model.modelId,
    async doStream(call) {
      const namesOf = new Map<string, ReadonlyMap<string, string>>();
      const tools = call.tools?.map((tool) => {
        if (tool.type !== "function") return tool;
        const names = new Map<string, string>();
        const inputSchema = renameProperties(tool.inputSchema, names) as JSONSchema7;
        if (names.size > 0) namesOf.set(tool.name, names);
        return { ...tool, inputSchema };
      });
      if (!tools || namesOf.size === 0) return model.doStream(call);
      const result = await model.doStream({ ...call, tools });
      const restore = new TransformStream<ModelPart, ModelPart>({
        transform: (part, controller) => controller.enqueue(restorePart(part, namesOf)),
      });
      return { ...result, stream: result.stream.pipeThrough(restore) };
    },
  };
}

/** @param names receives the owner's name of each property that was renamed */
function renameProperties(schema: unknown, names: Map<string, string>): unknown {
  if (Array.isArray(schema)) return schema.map((one) => renameProperties(one, names));
  if (!isObject(schema)) return schema;
  const toPlain = new Map<string, string>();
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (dataKeywords.has(keyword) || keyword === "required") return [keyword, value];
    if (keyword !== "properties" || !isObject(value)) return [keyword, renameProperties(value, names)];
    const properties = Object.entries(value).map(([name, property]) => {
      const renamed = renameProperties(property, names);
      if (plainName.test(name)) return [name, renamed];
      const plain = `${name.replace(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 50)}_${names.size + 1}`;
      names.set(plain, name);
      toPlain.set(name, plain);
      return [plain, withName(renamed, name)];
    });
    return [keyword, Object.fromEntries(properties)];
  });
  const { required, ...renamed } = Object.fromEntries(entries);
  if (!Array.isArray(required)) return renamed;
  return { ...renamed, required: required.map((name) => toPlain.get(name) ?? name) };
}

/** Adds the owner's name to the description, because the model may not recognize it in the new one. */
function withName(property: unknown, name: string): unknown {
  if (!isObject(property)) return property;
  const { description } = property;
  return { ...property, description: typeof description === "string" ? `${name}: ${description}` : name };
}

function restorePart(part: ModelPart, namesOf: ReadonlyMap<string, ReadonlyMap<string, string>>): ModelPart {
  const names = part.type === "tool-call" ? namesOf.get(part.toolName) : undefined;
  if (part.type !== "tool-call" || !names) return part;
  try {
    return { ...part, input: JSON.stringify(restoreNames(parseExactJson(part.input), names)) };
  } catch {
    // The input is not JSON. The model is told so when the tool is called.
    return part;
  }
}

function restoreNames(input: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(input)) return input.map((one) => restoreNames(one, names));
  if (!isObject(input) || isExactNumber(input)) return input;
  return toOrderedObject(
    Object.entries(input).map(([name, value]) => [names.get(name) ?? name, restoreNames(value, names)]),
  );
}
