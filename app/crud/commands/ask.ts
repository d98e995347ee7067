import { errors } from '@adonisjs/core/ace'

/**
 * Waits for a prompt's answer. A prompt that its user leaves by Ctrl-C or Ctrl-D closes its input, but
 * from Node.js 24.2 on it then either throws where nobody can catch it, or never ends
 * (https://github.com/enquirer/enquirer/issues/483): here, both are a prompt that was cancelled.
 *
 * @throws E_PROMPT_CANCELLED
 */
export async function ask<Answer>(prompt: () => Promise<Answer>): Promise<Answer> {
  const input = process.stdin
  let leave = () => {}
  const left = new Promise<never>((_, reject) => {
    /* An answered prompt closes its input, too, and tells its answer right after. */
    leave = () => setImmediate(() => reject(new errors.E_PROMPT_CANCELLED()))
  })
  input.once('pause', leave)
  process.on('unhandledRejection', ignoreClosedInput)
  try {
    const answer = await Promise.race([prompt(), left])
    process.off('unhandledRejection', ignoreClosedInput)
    return answer
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
