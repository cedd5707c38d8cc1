import { AppError } from "../../errors.ts";

/** Runs a check of a part of a file. The paths of its problems become those in the file. */
export async function under<T>(path: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "VALIDATION_ERROR" || !error.details) throw error;
    const details = error.details.map((detail) => ({ ...detail, path: path + detail.path }));
    throw new AppError("VALIDATION_ERROR", path + error.message, { details });
  }
}
