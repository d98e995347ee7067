import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'

/** The part of a message of @adonisjs/mail that the site uses */
interface Message {
  to(address: string): Message
  subject(text: string): Message
  text(content: string): Message
}

interface Mailer {
  send(compose: (message: Message) => void): Promise<unknown>
}

/* The package is optional, so the container does not know its name. */
const BINDING = 'mail.manager'

/**
 * Returns true if `@adonisjs/mail` is installed and its provider registered.
 */
export function canMail(): boolean {
  return app.container.hasBinding(BINDING)
}

/**
 * Sends a plain text with the application's default mailer, from the address of its `config/mail.ts`. A failure is
 * reported in the application's log, without the text.
 *
 * @returns false where it could not be sent
 */
export async function sendMail(to: string, subject: string, text: string): Promise<boolean> {
  try {
    const mailer = (await app.container.make(BINDING as never)) as Mailer
    await mailer.send((message) => void message.to(to).subject(subject).text(text))
    return true
  } catch (error) {
    logger.error({ reason: String((error as Error).message).slice(0, 300) }, 'A mail was not sent')
    return false
  }
}
