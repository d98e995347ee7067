/* A mailer of a test in the place of @adonisjs/mail's. */
import app from '@adonisjs/core/services/app'

export interface SentMail {
  to: string
  subject: string
  text: string
}

/**
 * Has the application mail, and returns what it sends. The container forgets no binding, so other tests of the
 * file mail, too, into nowhere.
 */
export function captureMail(): SentMail[] {
  const sent: SentMail[] = []
  const mailer = {
    async send(compose: (message: unknown) => void) {
      const mail = {} as SentMail
      const message: Record<string, unknown> = {}
      for (const part of ['to', 'subject', 'text'] as const) {
        message[part] = (text: string) => ((mail[part] = text), message)
      }
      compose(message)
      sent.push(mail)
    },
  }
  app.container.bindValue('mail.manager' as never, mailer as never)
  return sent
}
