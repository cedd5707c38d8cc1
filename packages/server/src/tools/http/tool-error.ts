/**
 * A call that cannot be made as requested. `message` is for the model, which may repeat it to visitors; `problem` is
 * for members.
 */
export class ToolError extends Error {
  readonly problem: string;

  constructor(message: string, problem = message) {
    super(message);
    this.name = "ToolError";
    this.problem = problem;
  }
}
