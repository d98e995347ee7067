import { errors } from '@adonisjs/core/ace'

/**
 * Waits for the input of a prompt. Since Node.js 24.2, a prompt that is left with Ctrl-C or Ctrl-D closes its input and
 * then throws an error that cannot be caught, or never ends (https://github.com/enquirer/enquirer/issues/483). This
 * function cancels the prompt in both cases.
 *
 * @throws E_PROMPT_CANCELLED
 */
export async function ask<Result>(prompt: () => Promise<Result>): Promise<Result> {
  const input = process.stdin
  let leave = () => {}
  const left = new Promise<never>((_, reject) => {
    /* Waits for one turn: a completed prompt also closes its input, and resolves right after that. */
    leave = () => setImmediate(() => reject(new errors.E_PROMPT_CANCELLED()))
  })
  input.once('pause', leave)
  process.on('unhandledRejection', ignoreClosedInput)
  try {
    const response = await Promise.race([prompt(), left])
    process.off('unhandledRejection', ignoreClosedInput)
    return response
  } catch (error) {
    if (input.isTTY) {
      input.setRawMode(false)
      process.stdout.write('\u001b[?25h\n')
    }
    throw error
  } finally {
    input.off('pause', leave)
  }
}

function ignoreClosedInput(error: unknown) {
  if ((error as { code?: string } | undefined)?.code !== 'ERR_USE_AFTER_CLOSE') throw error
}
