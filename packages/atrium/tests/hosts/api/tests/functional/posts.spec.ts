import User from '#models/user'
import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'

test.group('Posts of the API host application', (group) => {
  group.each.setup(() => testUtils.db().withGlobalTransaction())

  const makeUser = () =>
    User.create({ email: 'own-test@example.com', password: 'secret-of-test', fullName: 'Own Test' })

  test('a client logs in and reads its profile', async ({ client }) => {
    await makeUser()
    const login = await client
      .post('/api/v1/auth/login')
      .json({ email: 'own-test@example.com', password: 'secret-of-test' })
    login.assertStatus(200)
    const { token } = login.body().data
    const profile = await client.get('/api/v1/account/profile').bearerToken(token)
    profile.assertStatus(200)
    profile.assertBodyContains({ data: { fullName: 'Own Test' } })
  })

  test('a client creates a post', async ({ assert, client }) => {
    const user = await makeUser()
    const response = await client
      .post('/api/v1/posts')
      .json({ title: 'From a test', body: 'Text' })
      .loginAs(user)
    response.assertStatus(201)
    assert.includeMembers(Object.keys(response.body()), ['authorId', 'wordPrice', 'createdAt'])
  })

  test('an error is a JSON response, even if the client accepts HTML', async ({ client }) => {
    const response = await client.get('/api/v1/account/profile').header('accept', 'text/html')
    response.assertStatus(401)
    response.assertBodyContains({ errors: [{ message: 'Unauthorized access' }] })
  })
})
