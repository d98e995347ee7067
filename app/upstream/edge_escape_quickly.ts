import { Template } from 'edge.js'
import { escaped } from '#admin/text/markup'

const quick = new WeakSet<object>()

/**
 * Makes Edge's templates escape texts as it does, in a fraction of the time: in nearly all of them there
 * is nothing to escape. What is safe already, and what is no text, goes on to Edge.
 */
export function escapeQuickly(template: { prototype: Template } = Template): void {
  const { prototype } = template
  if (quick.has(prototype)) return
  quick.add(prototype)
  const { escape } = prototype
  prototype.escape = function (value: unknown) {
    return typeof value === 'string' ? escaped(value) : escape.call(this, value)
  }
}
