import { test } from '@japa/runner'
import { get } from '#tests/engine/helpers/http'

test('the home page lists the endpoints', async ({ assert }) => {
  const answer = await get('/')
  assert.equal(answer.status, 200)
  assert.include(answer.text, '/api/utensils')
})
