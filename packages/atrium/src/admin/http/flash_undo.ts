import type { HttpContext } from '@adonisjs/core/http'

/**
 * *Undo* of a message. [R7]
 */
export interface FlashUndo {
  /** URL that the form is sent to */
  url: string
  /** *Undo* or *Redo* */
  label: string
}

type Offer = (ctx: HttpContext) => Promise<FlashUndo | undefined>

let offer: Offer | undefined

/**
 * Registers the function that offers *Undo* for what a request has written.
 */
export function offerUndoBy(given: Offer): void {
  offer = given
}

/**
 * The message of an action with its *Undo*, if it can be undone.
 */
export async function withUndo<Message extends { kind: string; undo?: FlashUndo }>(
  ctx: HttpContext,
  message: Message
): Promise<Message> {
  const undo = message.kind === 'success' && !message.undo ? await offer?.(ctx) : undefined
  return undo ? { ...message, undo } : message
}
