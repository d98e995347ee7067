/**
 * The same batches; the next one is read while the current one is used.
 */
export async function* ahead<Batch>(
  batches: AsyncGenerator<Batch, void>
): AsyncGenerator<Batch, void> {
  let next = batches.next()
  try {
    for (;;) {
      const { done, value } = await next
      if (done) return
      next = batches.next()
      /* Thrown when its turn comes, if it does */
      next.catch(() => {})
      yield value
    }
  } finally {
    await next.catch(() => {})
    await batches.return()
  }
}
